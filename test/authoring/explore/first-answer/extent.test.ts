import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, json, type Received, startApi } from "../../../helpers/api.ts";
import { runHere } from "../../../helpers/run.ts";
import { write } from "../../writing.ts";

interface FirstAnswer {
  readonly body: object;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  /** The doubt about the answer; undefined if there is none. */
  readonly doubt: string | undefined;
}

const people = (count: number): object[] => Array.from({ length: count }, (_, index) => ({ id: index + 1 }));
const three = { items: people(3) };
const none = { items: [] };

const answers: readonly FirstAnswer[] = [
  // All records came.
  { body: { ...three, total: 95, records_total: 3 }, doubt: undefined },
  { body: { ...three, total: 3, next_page_url: "/users?page=2" }, doubt: undefined },
  { body: { ...three, total: 3 }, status: 206, doubt: undefined },
  { body: { items: people(20), estimatedTotalHits: 1000, has_more: false }, doubt: undefined },
  { body: { ...three, next_cursor: "abc" }, query: "?cursor=abc", doubt: undefined },
  { body: { ...none, status: "running" }, query: "?status=running", doubt: undefined },
  { body: { ...none, completed: false }, query: "?completed=false", doubt: undefined },
  { body: { groups: [{ users: people(2) }, { users: people(3) }], total: 2 }, doubt: undefined },
  { body: { items: { u1: { n: 1 }, u2: { n: 2 } }, total: 2 }, doubt: undefined },
  // More records exist.
  { body: { ...three, total: 95 }, doubt: '"total" is 95 and 3 came' },
  { body: { items: people(7), page_count: 7 }, query: "?limit=7", doubt: '"page_count" is 7 and 1 came' },
  {
    body: { items: people(7), estimatedTotalHits: 1000 },
    query: "?limit=7",
    doubt: '"estimatedTotalHits" is 1000 and 7 came',
  },
  {
    body: { items: people(7), before_url: "/users?limit=7&before=1" },
    query: "?limit=7",
    doubt: '"before_url" is set',
  },
  { body: { groups: [{ users: people(2) }, { users: people(3) }], total: 5 }, doubt: '"total" is 5 and 2 came' },
  { body: { items: { u1: { n: 1 }, u2: { n: 2 } }, total: 9 }, doubt: '"total" is 9 and 2 came' },
  { body: three, status: 206, doubt: "the API answered with status 206" },
  {
    body: three,
    headers: { Link: '</users?page=2; rel="next"' },
    doubt: "the header Link cannot be read, although it mentions a next page",
  },
  { body: { ...none, total: 95 }, doubt: '"total" is 95 and 0 came' },
  { body: { ...none, has_more: true }, doubt: '"has_more" is true' },
  { body: { ...none, next: "/users?page=2" }, doubt: '"next" is set' },
  // The answer is not the result, or only a part of it.
  { body: none, status: 202, doubt: "the API answered with status 202 (Accepted), so the result is not ready" },
  { body: { ...none, status: "running" }, doubt: 'the API answered "status" "running", so the result is not ready' },
  { body: { jobComplete: false }, doubt: 'the API answered "jobComplete" false, so the result is not ready' },
  { body: { ...none, success: false }, doubt: 'the API answered "success" false' },
  { body: { ...none, error: "no access" }, doubt: 'the API answered with "error": no access' },
  { body: { error: "no access" }, doubt: 'the API answered with "error": no access' },
  { body: { ...three, errors: [{ message: "x" }] }, doubt: 'the API answered with "errors"' },
  { body: { ...three, timed_out: true }, doubt: 'the API answered "timed_out" true, so records are missing' },
];

for (const { body, query = "", headers = {}, status = 200, doubt } of answers) {
  const what = JSON.stringify(body).replace(/(\{"id":\d+\},?)+/g, "...");
  test(`init and a run say the same about ${what} with status ${status}${query}`, async () => {
    const path = `/users${query}`;
    const handler = (request: Received): Answer =>
      request.target === path ? json(body, { status, headers }) : json({ message: "no such page" }, { status: 404 });
    await using api = await startApi(handler);
    const { findings } = await write(`curl '${api.url}${path}'`, { probes: 1 });
    const said = findings.join("\n");
    const group = "groups" in body ? { path: "groups", each: ["users", "*"] } : undefined;
    const map = "items" in body && !Array.isArray(body.items) ? { path: "items", values: true, key: "key" } : undefined;
    const jobs = [{ endpoint: path.slice(1), dataField: group ?? map ?? "items" }];
    const { result } = await runHere({ api: { baseUrl: `${api.url}/` }, config: { jobs } });
    const [{ verdict, reason = "" } = {}] = result.jobs;
    assert.equal(verdict, doubt === undefined ? "complete" : "suspect", `${reason}\n${said}`);
    if (doubt !== undefined) assert.ok(reason.includes(doubt) && said.includes(doubt), `${reason}\n${said}`);
    else assert.doesNotMatch(said, /the API has more|the API answered/);
  });
}

test("init names the total that equals the number of records, and takes no count of the page for a total", async () => {
  const said = async (body: object): Promise<string> => {
    await using api = await startApi((request) => (request.target === "/users" ? body : json({}, { status: 404 })));
    return (await write(`curl '${api.url}/users'`, { probes: 1 })).findings.join("\n");
  };
  assert.match(await said({ ...three, total: 95, records_total: 3 }), /"records_total" counts 3 records/);
  assert.match(await said({ ...three, count: 95 }), /"count" counts 95 records/);
  const withCount = await said({ ...three, count: 3 });
  assert.doesNotMatch(withCount, /"count"/);
});
