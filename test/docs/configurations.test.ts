import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { readConfiguration } from "../../src/compile/read.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { loadPatterns } from "../../src/expression/pattern.ts";
import { startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { target } from "./example.ts";
import { atHome, configurationOf, fragmentNotice, pages, readExamples, root } from "./pages.ts";
import { runExample } from "./run-example.ts";

await loadPatterns('"matches"');

const { examples } = await readExamples();
const blocks = pages.flatMap((page) => page.blocks.map((block) => ({ ...block, page: page.path })));
const configurations = blocks.filter(({ language }) => /^jsonc?$/.test(language));
const files = readdirSync(join(root, "examples")).filter((file) => file.endsWith(".json"));
const checked = [
  ...configurations.map(({ page, line, text }) => ({ name: `${page}:${line}`, text })),
  ...files.map((file) => ({ name: `examples/${file}`, text: readFileSync(join(root, "examples", file), "utf8") })),
];

describe("configurations of the documents", () => {
  for (const { name, text } of checked) {
    test(`${name} passes the check without a warning or a hint`, () => {
      const environment = Object.fromEntries([...text.matchAll(/"env": "(\w+)"/g)].map(([, name]) => [name, "x"]));
      const strict = { name, set: new Map<string, string>(), environment, strict: true, secrets: new Secrets() };
      const { warnings, hints } = readConfiguration(configurationOf(text), strict);
      assert.deepEqual([...warnings, ...hints], []);
    });
  }

  test("a configuration with the comment for fragments is a block of jsonc, and lacks `baseUrl` or `jobs`", () => {
    const fragments = configurations.filter(({ text }) => text.startsWith(fragmentNotice));
    assert.deepEqual(
      fragments.filter(({ language }) => language !== "jsonc").map(({ page, line }) => `${page}:${line}`),
      [],
    );
    for (const { text } of fragments) assert.doesNotMatch(text, /"baseUrl"[\s\S]*"jobs"/);
  });

  test("the marked configurations are exactly the examples in test/docs/examples", () => {
    // The scripts of its page run trees.json.
    const marked = configurations.flatMap(({ example }) => example ?? []).filter((name) => name !== "trees.json");
    assert.deepEqual(marked.sort(), Object.keys(examples).sort());
  });

  for (const [name, example] of Object.entries(examples)) {
    test(`${name} sends the expected requests and writes the expected records`, async () => {
      await using api = await startApi(example.answers);
      await using folder = await temporaryFolder();
      const text = configurations.find((one) => one.example === name)?.text;
      assert.ok(text !== undefined, `no page of docs/ has the example "${name}"`);
      const { env = {}, args = [], says = /./ } = example;
      const here = args.map((one) => (one.endsWith(".json") ? join(folder.path, one) : one));
      const { code, stdout, stderr } = await runExample(atHome(configurationOf(text), api.port), here, env);
      assert.equal(code, 0, stderr);
      assertRequests(api.log.map(example.shown ?? target), example.requests);
      assert.deepEqual(stdout.split("\n").slice(0, -1), example.lines);
      assert.match(stderr, says);
      for (const secret of Object.values(env)) assert.ok(!stderr.includes(secret), stderr);
    });
  }

  test("with a state, the second run requests only newer records", async () => {
    await using api = await startApi(() => [{ id: 1 }]);
    await using folder = await temporaryFolder();
    const text = configurations.find(({ example }) => example === "state")?.text ?? "{}";
    for (let turn = 0; turn < 2; turn += 1) {
      const args = ["--state", join(folder.path, "state.json")];
      const { code, stderr } = await runExample(atHome(configurationOf(text), api.port), args, {});
      assert.equal(code, 0, stderr);
    }
    const { time } = JSON.parse(await folder.read("state.json")) as { time: { previousStart: number } };
    const [first = "", second = ""] = api.log.map(({ params }) => params.get("since") ?? "");
    assert.equal(first, "1970-01-01 00:00:00");
    const since = Date.parse(`${second.replace(" ", "T")}Z`) / 1000;
    assert.ok(
      since > 0 && since <= time.previousStart,
      `the second run requested records since ${second}, not since the start of the first run`,
    );
  });
});

/** A regular expression in place of a text must match. */
function assertRequests(actual: readonly unknown[], expected: readonly unknown[]): void {
  const met = expected.map((one, index) => {
    const sent = actual[index];
    return one instanceof RegExp && typeof sent === "string" && one.test(sent) ? sent : one;
  });
  assert.deepEqual(actual, met);
}
