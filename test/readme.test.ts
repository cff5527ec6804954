import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { helpText } from "../src/cli/help.ts";
import { options } from "../src/cli/option-table.ts";
import { readConfiguration } from "../src/compile/read.ts";
import { exitCodes } from "../src/core/errors.ts";
import { Secrets } from "../src/core/redact.ts";
import { functions } from "../src/expression/functions.ts";
import { type Example, target } from "./examples/example.ts";
import { anchorsOf, blocksOf, sectionOf } from "./examples/markdown.ts";
import { pagingExamples, recordExamples } from "./examples/records.ts";
import { authenticationExamples, requestExamples } from "./examples/requests.ts";
import { shellOutputs } from "./examples/shell.ts";
import { startApi } from "./helpers/api.ts";
import { shell, spile, start, temporaryFolder } from "./helpers/cli.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = await readFile(join(root, "README.md"), "utf8");
const blocks = blocksOf(readme);
const configurations = blocks.filter(({ language }) => language === "json");
const examples = new Map<string, Example>(
  Object.entries({ ...requestExamples, ...authenticationExamples, ...pagingExamples, ...recordExamples }),
);

describe("configurations of the README", () => {
  for (const block of configurations) {
    test(`line ${block.line}: passes the check without a warning`, () => {
      const document = completed(block.text);
      const environment = Object.fromEntries(
        [...block.text.matchAll(/"env": "(\w+)"/g)].map(([, name]) => [name, "x"]),
      );
      const strict = { name: "README.md", set: new Map(), environment, strict: true, secrets: new Secrets() };
      assert.deepEqual(readConfiguration(JSON.stringify(document), strict).warnings, []);
    });
  }

  test("every marked one is known here, and the other way round", () => {
    const marked = configurations.flatMap(({ example }) => example ?? []).filter((name) => name !== "trees.json");
    assert.deepEqual(marked.sort(), [...examples.keys()].sort());
  });

  for (const [name, example] of examples) {
    test(`${name}: does what it says`, async () => {
      await using api = await startApi(example.answers);
      await using folder = await temporaryFolder();
      const block = blocks.find((one) => one.example === name);
      assert.ok(block);
      const file = await folder.write("config.json", completed(atHome(block.text, api.port), api.url));
      const env = example.env ?? {};
      const { code, stdout, stderr } = await spile([file, ...(example.args ?? [])], { env, cwd: folder.path });
      assert.equal(code, 0, stderr);
      assertRequests(api.log.map(example.shown ?? target), example.requests);
      assert.deepEqual(stdout.split("\n").slice(0, -1), example.lines);
      assert.match(stderr, example.says ?? /./);
      for (const secret of Object.values(env)) assert.equal(stderr.includes(secret), false, stderr);
    });
  }
});

test("--state: the second run asks for what came after the first", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  await using folder = await temporaryFolder();
  const block = blocks.find(({ example }) => example === "state");
  await folder.write("config.json", completed(atHome(block?.text ?? "{}", api.port), api.url));
  for (let turn = 0; turn < 2; turn += 1) {
    const { code, stderr } = await spile(["config.json", "--state", "state.json"], { cwd: folder.path });
    assert.equal(code, 0, stderr);
  }
  const { time } = JSON.parse(await folder.read("state.json")) as { time: { previousStart: number } };
  const [first = "", second = ""] = api.log.map(({ params }) => params.get("since") ?? "");
  assert.equal(first, "1970-01-01 00:00:00");
  const since = Date.parse(`${second.replace(" ", "T")}Z`) / 1000;
  assert.ok(since > 0 && since <= time.previousStart, `${second} is the start of the first run`);
});

describe("shell examples of the README", { skip: process.platform === "win32" && "needs a shell" }, async () => {
  const marked = blocks.filter(({ language, example }) => example !== undefined && /^(ba)?sh$/.test(language));

  test("every one has an expected output", () => {
    const missing = marked.filter(({ example = "", output }) => output === undefined && !(example in shellOutputs));
    assert.deepEqual(missing, []);
    const names = marked.map(({ example }) => example);
    assert.deepEqual(
      Object.keys(shellOutputs).filter((name) => !names.includes(name)),
      [],
    );
  });

  test("all of them run, in order, in one folder", async (context) => {
    await using folder = await temporaryFolder();
    const serving = start(["demo", "--serve"]);
    try {
      const configuration = await serving.until("stdout", /\n}\n$/);
      const port = /127\.0\.0\.1:(\d+)/.exec(configuration)?.[1] ?? "";
      const here = (text: string): string => text.replaceAll("127.0.0.1:4280", `127.0.0.1:${port}`);
      await folder.write("config.json", configuration);
      await folder.write("trees.json", here(blocks.find(({ example }) => example === "trees.json")?.text ?? ""));
      const path = [await shim(folder.path), process.env.PATH].join(delimiter);
      for (const block of marked) {
        await context.test(`${block.example}`, { skip: without(block.text) }, async () => {
          await folder.write("script", here(block.text));
          const env = { PATH: path, DEMO_PASSWORD: "drip-drip-drip" };
          const { code, stdout, stderr } = await shell(`unset -f spile; ${block.language} script`, {
            cwd: folder.path,
            env,
          });
          assert.equal(code, 0, stderr);
          assert.match(squeezed(stdout), pattern(block.output ?? shellOutputs[block.example ?? ""] ?? ""));
        });
      }
    } finally {
      serving.kill("SIGTERM");
      await serving.finished;
    }
  });
});

test("the library example compiles and runs", async () => {
  await using api = await startApi({
    "/users": ({ params }) => ({
      data: [{ id: 1 }, { id: 2 }, { id: 3 }].slice(Number(params.get("offset"))).slice(0, 2),
    }),
  });
  await using folder = await temporaryFolder();
  const block = blocks.find(({ example }) => example === "library");
  await mkdir(join(folder.path, "node_modules"));
  await symlink(root, join(folder.path, "node_modules", "spile"), "junction");
  await symlink(join(root, "node_modules", "@types"), join(folder.path, "node_modules", "@types"), "junction");
  await folder.write("package.json", { type: "module" });
  await folder.write("example.ts", atHome(block?.text ?? "", api.port));
  await folder.write("tsconfig.json", {
    compilerOptions: { module: "nodenext", target: "es2023", strict: true, noEmit: true, types: ["node"] },
    files: ["example.ts"],
  });
  const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder.path, encoding: "utf8" });
  const types = node(join(root, "node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.json");
  assert.equal(types.status, 0, types.stdout);
  const { code, stdout, stderr } = await shell(`"$NODE" --import "$TSX" example.ts`, {
    cwd: folder.path,
    env: { TSX: import.meta.resolve("tsx") },
  });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, '{"id":1}\n{"id":2}\n{"id":3}\n');
  assert.match(stderr, /^0 complete 3$[\s\S]*^users { id: 1 }$\n^users { id: 2 }$(?![\s\S]*id: 3)/m);
});

describe("what the README says of the command", () => {
  test("every option of --help, and no other", () => {
    const foreign = ["silent"];
    const mentioned = new Set([...readme.matchAll(/(?<![\w-])--([a-z][a-z-]*[a-z])/g)].map(([, name = ""]) => name));
    for (const name of [...foreign, "max"]) mentioned.delete(name);
    assert.deepEqual([...mentioned].sort(), [...options.keys()].sort());
    for (const name of options.keys()) assert.ok(helpText(100).includes(`--${name} `), name);
    for (const [name, { alias }] of options) if (alias) assert.match(readme, new RegExp(`\`-${alias}\``), name);
  });

  test("exit codes are those of the source", () => {
    const codes = [...sectionOf(readme, "Exit codes").matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    assert.deepEqual(
      codes,
      Object.values(exitCodes).sort((a, b) => a - b),
    );
  });

  test("every function of expressions", () => {
    const named = [...sectionOf(readme, "Expressions").matchAll(/`(\w+)\([^`]*\)`/g)].map(([, name]) => name);
    assert.deepEqual(named.sort(), Object.keys(functions).sort());
  });

  test("links within lead somewhere", () => {
    const anchors = anchorsOf(readme);
    const links = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = ""]) => anchor);
    assert.ok(links.length > 20);
    assert.deepEqual(
      links.filter((anchor) => !anchors.has(anchor)),
      [],
    );
  });
});

/** An example with what the README leaves out: an address and a job. */
function completed(text: string, baseUrl = "https://api.example.com/"): object {
  const document = JSON.parse(text) as { api?: object; config?: object };
  return {
    ...document,
    api: { baseUrl, ...document.api },
    config: { jobs: [{ endpoint: "users" }], ...document.config },
  };
}

/** The addresses of an example become those of a server on this port. */
function atHome(text: string, port: number): string {
  return text.replaceAll("https://", "http://").replace(/\b(api|auth)\.example\.com\b/g, `127.0.0.1:${port}`);
}

function assertRequests(actual: readonly unknown[], expected: readonly unknown[]): void {
  const met = expected.map((one, index) => {
    const sent = actual[index];
    return one instanceof RegExp && typeof sent === "string" && one.test(sent) ? sent : one;
  });
  assert.deepEqual(actual, met);
}

/** A folder to put first in PATH, in which `spile` is the built command. */
async function shim(folder: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "spile"), '#!/bin/sh\nexec "$NODE" "$SPILE" "$@"\n');
  await chmod(join(bin, "spile"), 0o755);
  return bin;
}

/** Why a script cannot run on this machine. */
function without(script: string): string | false {
  const missing = ["jq", "curl", "gzip", "bash"].filter(
    (tool) => script.includes(`${tool} `) && spawnSync(tool, ["--version"]).error !== undefined,
  );
  return missing.length > 0 && `there is no ${missing.join(", no ")} here`;
}

/** Without the padding of `wc` and `uniq -c`, which differs between systems. */
function squeezed(text: string): string {
  return text.replace(/^ +/gm, "").trimEnd();
}

/** An output as the README shows it, in which `...` stands for anything. */
function pattern(output: string): RegExp {
  const parts = squeezed(output).split(/ ?\.\.\. ?/);
  return new RegExp(`^${parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("[^]*")}$`);
}
