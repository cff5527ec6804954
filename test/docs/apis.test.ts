import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Answer, type Api, type Received, startApi } from "../helpers/api.ts";
import type { Finished } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { exports } from "./apis/exports.ts";
import type { FakeApi } from "./apis/fake-api.ts";
import { graphql } from "./apis/graphql.ts";
import { rest } from "./apis/rest.ts";
import { services } from "./apis/services.ts";
import { sectionOf } from "./markdown.ts";
import { pages, root } from "./pages.ts";

const fakes: Readonly<Record<string, FakeApi>> = { ...rest, ...services, ...graphql, ...exports };
const page = pages.find(({ path }) => path === "docs/apis.md")?.text ?? "";

describe("recipes of docs/apis.md", { concurrency: true }, () => {
  test("each recipe has a small API here, and each small API has a recipe", () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    assert.deepEqual(headings.sort(), Object.keys(fakes).sort());
  });

  test("each file of examples/ belongs to a recipe", () => {
    const files = readdirSync(join(root, "examples")).filter((file) => file.endsWith(".json"));
    const links = [...page.matchAll(/\]\(\.\.\/examples\/([\w-]+\.json)\)/g)].map(([, file]) => file);
    assert.deepEqual(links.sort(), files.sort());
  });

  for (const [name, fake] of Object.entries(fakes)) {
    test(`${name}: all records are read`, async () => {
      const { api, finished } = await runRecipe(name, fake, () => undefined);
      assertComplete(finished, fake);
      assert.equal(dataRequests(api, fake).length, fake.requests);
    });

    test(`${name}: a rate limit delays the run, and all records are read`, async () => {
      const limits = fake.limited;
      const { api, finished } = await runRecipe(name, fake, (index) => limits[index - 1]?.answer());
      assertComplete(finished, fake);
      assert.equal(dataRequests(api, fake).length, fake.requests + limits.length);
      const times = dataRequests(api, fake).map(({ at }) => at);
      for (const [index, { seconds }] of limits.entries()) {
        const [before = 0, after = 0] = times.slice(index + 1);
        // A hundredth less, since timers and clocks differ slightly.
        assert.ok(
          after - before >= seconds * 990,
          `requested again after ${after - before} ms, before the ${seconds} s that the API asks for`,
        );
      }
    });

    for (const [what, { answer, code, says }] of Object.entries(fake.failures ?? {})) {
      test(`${name}: ${what} is not taken for the end`, async () => {
        const { finished } = await runRecipe(name, fake, (index) => (index > 0 ? answer() : undefined));
        assert.equal(finished.code, code, finished.stderr);
        assert.match(finished.stderr, says);
      });
    }
  }
});

/** Runs a recipe against its small API. `other` may replace the API's answer to a request for data, by its index. */
async function runRecipe(
  name: string,
  fake: FakeApi,
  other: (index: number) => Answer | undefined,
): Promise<{ api: Api; finished: Finished }> {
  let index = -1;
  await using api = await startApi((request) => {
    if (request.path === fake.login) return fake.answer(request);
    index += 1;
    return other(index) ?? fake.answer(request);
  });
  const { env = {} } = fake;
  const text = recipe(name).replace(/https:\/\/[^/"]+/g, api.url);
  const finished = await spileHere(["-", "--strict", "-v"], { stdin: text, env });
  const leakedValues = Object.values(env).filter(
    (value) => value.includes("secret") && finished.stderr.includes(value),
  );
  assert.deepEqual(leakedValues, []);
  return { api, finished };
}

/** Returns the configuration to which the section of this name links. */
function recipe(name: string): string {
  const [, path] = /\]\(\.\.\/(examples\/[\w-]+\.json)\)/.exec(sectionOf(page, name)) ?? [];
  assert.ok(path !== undefined, `the section "${name}" links to no file of examples/`);
  return readFileSync(join(root, path), "utf8");
}

function assertComplete({ code, stdout, stderr }: Finished, { records }: FakeApi): void {
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    stdout.split("\n").slice(0, -1),
    records.map((record) => JSON.stringify(record)),
  );
  assert.match(stderr, /\bcomplete: /);
}

function dataRequests({ log }: Api, { login }: FakeApi): readonly Received[] {
  return log.filter(({ path }) => path !== login);
}
