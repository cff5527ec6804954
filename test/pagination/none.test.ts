import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";

const people = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1 }));

/** The answer, the fields beside the method, and the verdict. */
const cases: readonly (readonly [answer: unknown, fields: object, verdict: string])[] = [
  [people(10), {}, "complete"],
  [people(9), { fullPage: 10 }, "complete"],
  [people(10), { fullPage: 10 }, "suspect"],
  [people(11), { fullPage: "10" }, "suspect"],
  [[], { fullPage: 1 }, "complete"],
  [people(1), { fullPage: 1 }, "suspect"],
  // A single object is not a page of a list.
  [{ id: 1 }, { fullPage: 1 }, "complete"],
  // The API's statement outweighs the doubt, unless evidence is off.
  [{ total: 10, items: people(10) }, { fullPage: 10 }, "complete"],
  [{ total: 10, items: people(10) }, { fullPage: 10, evidence: false }, "suspect"],
  [{ total: 11, items: people(10) }, { fullPage: 20 }, "suspect"],
];

test("there is one request, and a full page is suspect (contract C-6.26)", async () => {
  for (const [answer, fields, verdict] of cases) {
    await using api = await startApi(() => answer);
    const { result } = await runHere({
      api: { baseUrl: api.url, pagination: { method: "none", ...fields } },
      config: { jobs: [{ endpoint: "users" }] },
    });
    assert.deepEqual(api.targets(), ["/users"]);
    assert.equal(result.jobs[0]?.verdict, verdict, `${JSON.stringify([answer, fields])}: ${result.jobs[0]?.reason}`);
  }
});

test("a suspect verdict comes with advice", async () => {
  await using api = await startApi(() => people(20));
  const { result } = await runHere({
    api: { baseUrl: api.url, pagination: { method: "none", fullPage: 20 } },
    config: { jobs: [{ endpoint: "users" }] },
  });
  assert.equal(
    result.jobs[0]?.reason,
    'one page, no paging is configured: the page has 20 records, and with 20 or more it may not be the only one ("fullPage"); configure how the API pages, or remove "fullPage" if these are all records',
  );
});
