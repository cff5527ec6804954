import assert from "node:assert/strict";
import { test } from "node:test";
import { dataset, empty, json, linesOf, type Received, records, startApi } from "../helpers/api.ts";
import { messagesOf, offset, run } from "./run.ts";

/* Tests of the end of paging: limits of the user, the ways in which an API says that nothing is left, and wrong limits. */

/** Creates a dataset that answers with `status` from the offset `from` on. */
const refusingFrom = (from: number, values: readonly unknown[], status: number, body: unknown, more = {}) => {
  const pages = dataset(values, more);
  return (request: Received) =>
    Number(request.params.get("offset")) >= from ? json(body, { status }) : pages(request);
};

test("a 400 beyond the last page is the end if a total or ignoreErrors says so", async () => {
  const all = records(10);
  const wrap = (page: readonly unknown[], total: number) => ({ items: page, count: { of: total } });
  await using api = await startApi(refusingFrom(10, all, 400, { error: "offset out of range" }, { wrap }));
  const plain = await run(api, { api: offset(5) });
  assert.deepEqual([plain.code, plain.stdout, api.log.length], [69, linesOf(all), 3]);
  assert.match(messagesOf(plain, "error").join(), /page 3.*400.*ignoreErrors": \[400\].*offset out of range/);
  const known = await run(api, { api: offset(5, { limitStop: { field: "count.of" } }), args: ["--strict"] });
  assert.deepEqual([known.code, known.stdout, api.log.length], [0, linesOf(all), 5]);
  const ignored = await run(api, { api: { ...offset(5), http: { ignoreErrors: [400] } }, job: { dataField: "items" } });
  assert.deepEqual([ignored.code, ignored.stdout, api.log.length], [0, linesOf(all), 8]);
  assert.match(ignored.stderr, /400/);
});

test("a 404 beyond the last page is the end only if ignoreErrors lists it", async () => {
  const all = records(6);
  await using api = await startApi(refusingFrom(6, all, 404, { message: "no such page" }));
  const http = { ignoreErrors: [404] };
  const ignored = await run(api, { api: { ...offset(3), http }, job: { dataField: "items" } });
  assert.deepEqual([ignored.code, ignored.stdout], [0, linesOf(all)]);
  const plain = await run(api, { api: offset(3) });
  assert.deepEqual([plain.code, plain.stdout], [69, linesOf(all)]);
  await using gone = await startApi(() => json({ message: "no such list" }, { status: 404 }));
  const first = await run(gone, { api: offset(3) });
  assert.deepEqual([first.code, first.stdout], [69, ""]);
  assert.match(first.stderr, /404.*no such list/);
  const tolerated = await run(gone, { api: { ...offset(3), http }, job: { dataField: "items" } });
  assert.deepEqual([tolerated.code, tolerated.stdout], [0, ""]);
  assert.match(messagesOf(tolerated, "warning").join(), /404/);
});

test("a refused page is an error, and the lines of the pages before it are written", async () => {
  const all = records(60);
  await using api = await startApi(refusingFrom(40, all, 400, { message: "offset + limit must not exceed 40" }));
  const end = await run(api, { api: offset(10) });
  assert.deepEqual([end.code, end.stdout, api.log.length], [69, linesOf(all.slice(0, 40)), 5]);
  assert.match(messagesOf(end, "error").join(), /page 5.*must not exceed 40/);
});

test("a 204 ends the job", async () => {
  const all = records(4);
  await using api = await startApi((request) =>
    request.params.get("offset") === "4" ? empty(204) : dataset(all)(request),
  );
  const end = await run(api, { api: offset(2), args: ["--strict"] });
  assert.deepEqual([end.code, end.stdout, api.log.length], [0, linesOf(all), 3]);
});

test("forceStop and limitStop end a job although the API's flag says that there is more", async () => {
  const pages = dataset(records(50), { wrap: (items) => ({ items, more: true }) });
  const nextPageFlag = { field: "more", stopOn: false, ifNotSet: false };
  for (const stop of [{ forceStop: { pages: 2 } }, { limitStop: { count: 8 } }]) {
    await using api = await startApi({ "/items": pages });
    const end = await run(api, { api: offset(4, { nextPageFlag, ...stop }), args: ["--strict"] });
    assert.deepEqual([end.code, end.stdout], [0, linesOf(records(8))]);
    assert.deepEqual(api.targets(), ["/items?limit=4&offset=0", "/items?limit=4&offset=4"]);
    assert.match(messagesOf(end, "info").join(), /items limited.*(forceStop|limitStop)/);
  }
});

test("a limitStop that equals the number of records is a complete end", async () => {
  const wrap = (items: readonly unknown[], total: number) => ({ items, total, has_more: false });
  await using api = await startApi({ "/items": dataset(records(10), { wrap }) });
  const end = await run(api, { api: offset(5, { limitStop: { count: 10 } }), args: ["--strict"] });
  assert.deepEqual([end.code, end.stdout, api.log.length], [0, linesOf(records(10)), 2]);
  assert.deepEqual(messagesOf(end, "warning"), []);
});

test("with -v, each page of an endless API is a line of the log", async () => {
  await using api = await startApi(({ params }) => [Number(params.get("offset")), "x"]);
  const end = await run(api, { api: offset(2), args: ["--max-pages", "12", "-v"] });
  assert.deepEqual([end.code, api.log.length], [0, 12]);
  for (let page = 1; page <= 12; page += 1) assert.match(end.stderr, new RegExp(`^info items page ${page}: `, "m"));
  assert.match(end.stderr, /items limited: 24 records, 12 pages/);
});

const wrongLimits = ["abc", {}, [], true, null, 0, "0", -5, "1e2", "2.5", " 10 ", 1e21, 2.5, ""];
for (const limit of wrongLimits) {
  test(`a limit of ${JSON.stringify(limit)} is refused before any request`, async () => {
    await using api = await startApi(() => []);
    const configured = await run(api, { api: offset(limit) });
    assert.deepEqual([configured.code, configured.stdout], [78, ""]);
    assert.match(messagesOf(configured, "error").join("\n"), /\/api\/pagination\/limit: /);
    if (typeof limit !== "object") assert.ok(configured.stderr.includes(String(limit)), configured.stderr);
    const overridden = await run(api, { api: offset(10), job: { params: { limit } } });
    assert.deepEqual([overridden.code, overridden.stdout], [78, ""]);
    assert.match(messagesOf(overridden, "error").join("\n"), /\/config\/jobs\/0\/params\/limit: /);
    assert.deepEqual(api.targets(), []);
  });
}

test("a limit written as text counts as a number", async () => {
  await using api = await startApi({ "/items": dataset(records(5)) });
  const end = await run(api, { api: offset("3") });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(5))]);
  assert.deepEqual(api.targets(), ["/items?limit=3&offset=0", "/items?limit=3&offset=3"]);
});

test("paging parameters replace those in the endpoint's query", async () => {
  await using api = await startApi({ "/items": dataset(records(5), { limitParam: "count" }) });
  const endpoint = "items?sort=id&count=1000&offset=0&dir=asc";
  const end = await run(api, { api: offset(3, { limitParam: "count" }), job: { endpoint } });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(5))]);
  assert.deepEqual(api.targets(), [
    "/items?sort=id&count=3&offset=0&dir=asc",
    "/items?sort=id&count=3&offset=3&dir=asc",
  ]);
});

test("the pagination of the API applies to every job and child job, and each of them begins at its first page", async () => {
  const pages = dataset(records(5));
  await using api = await startApi({ "/a": pages, "/b": pages, "*": pages });
  const children = [{ endpoint: "a/{id}/parts", placeholders: { id: "id" } }];
  const jobs = [{ endpoint: "a", children }, { endpoint: "b" }];
  const end = await run(api, { api: offset(3), config: { jobs } });
  assert.equal(end.code, 0);
  const twice = (path: string) => [`${path}?limit=3&offset=0`, `${path}?limit=3&offset=3`];
  const parts = (ids: number[]) => ids.flatMap((id) => twice(`/a/${id}/parts`));
  // The children of a page's parents come before the next page of parents, and each child pages separately.
  const [first = "", second = ""] = twice("/a");
  assert.deepEqual(api.targets(), [first, ...parts([1, 2, 3]), second, ...parts([4, 5]), ...twice("/b")]);
});

test("without dataField, an empty last page of numbered pages causes no warning", async () => {
  for (const wrap of [(items: unknown) => items, (items: unknown) => ({ items })]) {
    await using api = await startApi(({ params }) => wrap(params.get("page") === "1" ? records(2) : []));
    const end = await run(api, { api: { pagination: { method: "pagenum" } } });
    assert.deepEqual([end.code, end.stdout, messagesOf(end, "warning")], [0, linesOf(records(2)), []]);
    assert.deepEqual(api.targets(), ["/items?page=1", "/items?page=2"]);
  }
});
