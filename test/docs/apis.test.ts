import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Answer, type Api, type Handler, startApi } from "../helpers/api.ts";
import type { Finished } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import type { FakeApi } from "./apis/fake-api.ts";
import { graphql } from "./apis/graphql.ts";
import { rest } from "./apis/rest.ts";
import { services } from "./apis/services.ts";
import { blocksOf, sectionOf } from "./markdown.ts";
import { pages } from "./pages.ts";

const fakes: Readonly<Record<string, FakeApi>> = { ...rest, ...services, ...graphql };
const page = pages.find(({ path }) => path === "docs/apis.md")?.text ?? "";

describe("recipes of docs/apis.md", { concurrency: true }, () => {
  test("each has a small API here, and the other way round", () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    assert.deepEqual(headings.sort(), Object.keys(fakes).sort());
  });

  for (const [name, fake] of Object.entries(fakes)) {
    test(`${name}: reads all of it`, async () => {
      const { api, finished } = await runRecipe(name, fake, fake.answer);
      assertComplete(finished, fake);
      assert.equal(dataRequests(api, fake), fake.requests);
    });

    test(`${name}: waits where there were too many requests`, async () => {
      let calls = 0;
      const { api, finished } = await runRecipe(
        name,
        fake,
        instead(fake, () => ++calls === 2, fake.limited),
      );
      assertComplete(finished, fake);
      assert.equal(dataRequests(api, fake), fake.requests + 1);
      assert.match(finished.stderr, /retry|waits/);
    });

    for (const [what, { answer, code, says }] of Object.entries(fake.failures ?? {})) {
      test(`${name}: ${what} is not taken for the end`, async () => {
        let calls = 0;
        const { finished } = await runRecipe(
          name,
          fake,
          instead(fake, () => ++calls >= 2, answer),
        );
        assert.equal(finished.code, code, finished.stderr);
        assert.match(finished.stderr, says);
      });
    }
  }
});

/** Another answer to the requests for data at which this holds. */
function instead(fake: FakeApi, when: () => boolean, answer: () => Answer): Handler {
  return (request) => (request.path !== fake.login && when() ? answer() : fake.answer(request));
}

async function runRecipe(
  name: string,
  { env = {} }: FakeApi,
  handler: Handler,
): Promise<{ api: Api; finished: Finished }> {
  await using api = await startApi(handler);
  const [block] = blocksOf(sectionOf(page, name));
  assert.ok(block !== undefined, "there is no such recipe");
  const text = block.text.replace(/https:\/\/[^/"]+/g, api.url);
  const finished = await spileHere(["-", "--strict", "-v"], { stdin: text, env });
  const told = Object.values(env).filter((value) => value.includes("secret") && finished.stderr.includes(value));
  assert.deepEqual(told, []);
  return { api, finished };
}

function assertComplete({ code, stdout, stderr }: Finished, { records }: FakeApi): void {
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    stdout.split("\n").slice(0, -1),
    records.map((record) => JSON.stringify(record)),
  );
  assert.match(stderr, /\bcomplete: /);
}

function dataRequests({ log }: Api, { login }: FakeApi): number {
  return log.filter(({ path }) => path !== login).length;
}
