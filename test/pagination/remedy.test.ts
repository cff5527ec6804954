import assert from "node:assert/strict";
import { test } from "node:test";
import { type Received, startApi } from "../helpers/api.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";

const all = Array.from({ length: 25 }, (_, n) => ({ id: { S: `k${n}` }, n }));

/** An API of 25 records, ten a page. `next`: the fields that lead to the page at an index. `from`: that index in a request. */
const paged =
  (next: (index: number) => object, from: (request: Received) => unknown) =>
  (request: Received): object => {
    const index = Number(from(request) ?? 0);
    const lead = index + 10 < all.length ? next(index + 10) : {};
    return { Items: all.slice(index, index + 10), ...lead };
  };

const rows: readonly (readonly [
  title: string,
  api: (request: Received) => object,
  remedy: string,
  options: string | undefined,
])[] = [
  [
    "DynamoDB's key, which is an object of objects",
    paged(
      (index) => ({ LastEvaluatedKey: { id: { S: `k${index}` } } }),
      ({ params }) => params.get("t[id][S]")?.slice(1),
    ),
    '{"method": "response.param", "responseParam": "LastEvaluatedKey", "queryParam": ...}',
    "--paging response.param --next LastEvaluatedKey --token-param ...",
  ],
  [
    "a key with numbers",
    paged(
      (index) => ({ LastEvaluatedKey: { n: index } }),
      ({ params }) => params.get("t[n]"),
    ),
    '{"method": "response.param", "responseParam": "LastEvaluatedKey", "queryParam": ...}',
    "--paging response.param --next LastEvaluatedKey --token-param ...",
  ],
  [
    "members of the next page's object that are parameters",
    paged(
      (index) => ({ pagination: { next: { start: index, limit: 10 } } }),
      ({ params }) => params.get("start"),
    ),
    '{"method": "response.param", "responseParam": "pagination.next"}',
    undefined,
  ],
  [
    "texts as members (MediaWiki)",
    paged(
      (index) => ({ continue: { start: String(index), continue: "-||" } }),
      ({ params }) => params.get("start"),
    ),
    '{"method": "response.param", "responseParam": "continue"}',
    undefined,
  ],
  [
    "a member called token",
    paged(
      (index) => ({ next: { token: `t${index}` } }),
      ({ params }) => params.get("t")?.slice(1),
    ),
    '{"method": "response.param", "responseParam": "next.token", "queryParam": ...}',
    "--paging response.param --next next.token --token-param ...",
  ],
];

for (const [title, handler, remedy, options] of rows) {
  test(`a suspect run proposes a paging that reads all records: ${title}`, async () => {
    await using api = await startApi(handler);
    const runJob = async (pagination?: unknown) => {
      const jobs = [{ endpoint: "items", dataField: "Items" }];
      const { result } = await runHere({ api: { baseUrl: api.url, pagination }, config: { jobs } });
      return result.jobs[0];
    };
    const first = await runJob();
    assert.deepEqual([first?.records, first?.verdict], [10, "suspect"]);
    assert.ok(first?.reason?.includes(`; "pagination": ${remedy} would follow it`), first?.reason);
    const followed = await runJob(JSON.parse(remedy.replace("...", '"t"')));
    assert.deepEqual([followed?.records, followed?.verdict], [25, "complete"], followed?.reason);
    const got = await spileHere(["get", `${api.url}/items`, "--records", "Items"]);
    assert.ok(got.stderr.includes(`; ${options ?? `"pagination": ${remedy}`} would follow it`), got.stderr);
    if (options === undefined) return;
    const words = options.replace("...", "t").split(" ");
    const whole = await spileHere(["get", `${api.url}/items`, "--records", "Items", ...words]);
    assert.deepEqual([whole.code, whole.stdout.split("\n").length - 1], [0, 25], whole.stderr);
  });
}

test("an object that does not clearly name a next page is no evidence", async () => {
  for (const beside of [
    { LastEvaluatedKey: {} },
    { LastEvaluatedKey: { n: null } },
    { pagination: { next: { page: 0 } } },
    { pagination: { next: { start: -1 } } },
    { LastEvaluatedKey: { n: -1 } },
    { pagination: { next: { page: 2, exists: false } } },
    { next: { page: 2, limit: 10 } },
  ]) {
    await using api = await startApi(() => ({ Items: all.slice(0, 7), ...beside }));
    const jobs = [{ endpoint: "items", dataField: "Items" }];
    const { result } = await runHere({ api: { baseUrl: api.url }, config: { jobs } });
    assert.equal(result.jobs[0]?.verdict, "complete", JSON.stringify(beside));
  }
});
