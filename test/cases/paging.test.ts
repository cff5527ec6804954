import assert from "node:assert/strict";
import { test } from "node:test";
import { dataset, json, linesOf, records, startApi } from "../helpers/api.ts";
import { messagesOf, offset, run } from "./run.ts";

/* Tests of offset paging as users met it: pages that are cut short, too long, or repeated. */

test("a page shorter than the limit ends the job, unless --probe-end requests the next one", async () => {
  const all = records(7);
  await using api = await startApi({ "/items": dataset(all, { cap: 3 }) });
  const short = await run(api, { api: offset(10), args: ["--strict"] });
  // Nothing in the response says that there is more, so the short page is the end (contract C-6.2), and the reason says so.
  assert.deepEqual([short.code, short.stdout], [0, linesOf(all.slice(0, 3))]);
  assert.match(short.stderr, /complete.*a page of 3, fewer than the requested 10/);
  const probed = await run(api, { api: offset(10), args: ["--probe-end"] });
  assert.deepEqual([probed.code, probed.stdout], [0, linesOf(all)]);
  const asked = ["/items?limit=10&offset=0", "/items?limit=10&offset=3", "/items?limit=10&offset=6"];
  assert.deepEqual(api.targets().slice(1), asked);
});

for (const [name, wrap] of [
  ["a flag", (page: readonly unknown[]) => ({ items: page, has_more: true })],
  ["an address", (page: readonly unknown[]) => ({ items: page, next: "/items?offset=3" })],
] as const) {
  test(`a short page is suspect beside ${name} that reports more`, async () => {
    await using api = await startApi({ "/items": dataset(records(7), { cap: 3, wrap }) });
    const end = await run(api, { api: offset(10), args: ["--strict"] });
    assert.deepEqual([end.code, end.stdout], [1, linesOf(records(3))]);
    assert.match(end.stderr, /^error items suspect.*3, fewer than the requested 10.*(has_more|next).*"limit": 3/m);
  });
}

test("a short page below the configured total is suspect; --probe-end reads to the end", async () => {
  const all = records(23);
  const wrap = (page: readonly unknown[], total: number) => ({ meta: { paging: { total, pageSize: 9 } }, rows: page });
  await using api = await startApi({ "/items": dataset(all, { cap: 9, wrap }) });
  const limitStop = { field: "meta.paging.total" };
  const short = await run(api, { api: offset(200, { limitStop }) });
  assert.deepEqual([short.code, short.stdout], [0, linesOf(all.slice(0, 9))]);
  assert.match(messagesOf(short, "warning").join(), /suspect.*\b23\b.*\b9\b/);
  const strict = await run(api, { api: offset(200, { limitStop }), args: ["--strict"] });
  assert.deepEqual([strict.code, strict.stdout], [1, short.stdout]);
  const probed = await run(api, { api: offset(200, { limitStop }), args: ["--probe-end", "--strict"] });
  assert.deepEqual([probed.code, probed.stdout], [0, linesOf(all)]);
  assert.deepEqual(
    api.log.slice(2).map(({ params }) => params.get("offset")),
    ["0", "9", "18"],
  );
});

test("a short page below a total is suspect although its next link is null", async () => {
  const wrap = (page: readonly unknown[], total: number) => ({ items: page, next: null, meta: { total } });
  await using api = await startApi({ "/items": dataset(records(25), { cap: 11, wrap }) });
  const end = await run(api, { api: offset(20), args: ["--strict"] });
  assert.equal(end.code, 1);
  assert.match(end.stderr, /^error items suspect.*"meta.total" is 25 and 11 came/m);
});

test("a refused limit is an error that shows the API's message", async () => {
  await using api = await startApi(() => json({ error: "limit max 50" }, { status: 400 }));
  const end = await run(api, { api: offset(100) });
  assert.deepEqual([end.code, end.stdout, api.log.length], [69, "", 1]);
  assert.match(messagesOf(end, "error").join(), /items\?limit=100&offset=0.*400.*limit max 50/);
});

for (const [name, extra] of [
  ["another page number", (page: number) => ({ page })],
  ["a later time", (page: number) => ({ page, ts: `2031-01-01T00:00:${10 + page}Z` })],
] as const) {
  test(`a last page that comes again with ${name} ends the job and is not written`, async () => {
    const all = records(4);
    await using api = await startApi(({ params }) => {
      const at = Math.min(Number(params.get("offset")), 2);
      return { items: all.slice(at, at + 2), ...extra(Number(params.get("offset")) / 2) };
    });
    const end = await run(api, { api: offset(2) });
    assert.deepEqual([end.code, end.stdout, api.log.length], [0, linesOf(all), 3]);
    assert.match(messagesOf(end, "warning").join(), /suspect.*page 3 repeats the 2 records/);
    const numbered = await run(api, { api: { pagination: { method: "pagenum" } }, args: ["--strict"] });
    assert.equal(numbered.code, 1);
    assert.equal(numbered.stdout, linesOf(all.slice(0, 2)));
  });
}

test("each record of an API that ignores paging is written once, with a warning", async () => {
  const all = records(30);
  await using api = await startApi(() => all);
  const end = await run(api, { api: offset(10) });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(all)]);
  assert.deepEqual(api.targets(), ["/items?limit=10&offset=0", "/items?limit=10&offset=30"]);
  assert.equal(messagesOf(end, "warning").length > 0, true);
});

test("after a page longer than the limit, the offset grows by the number of received records", async () => {
  const all = records(10);
  await using api = await startApi(({ params }) => all.slice(Number(params.get("offset"))).slice(0, 4));
  const end = await run(api, { api: offset(3) });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(all)]);
  assert.deepEqual(
    api.log.map(({ params }) => params.get("offset")),
    ["0", "4", "8"],
  );
  assert.equal(messagesOf(end, "warning").filter((line) => /page size/.test(line)).length, 1);
});

test("offsets begin at 0 and grow by the limit", async () => {
  const all = records(250, 0);
  await using api = await startApi({ "/items": dataset(all) });
  const end = await run(api, { api: offset(100) });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(all)]);
  assert.deepEqual(
    api.targets(),
    [0, 100, 200].map((at) => `/items?limit=100&offset=${at}`),
  );
});

test("numbered pages end with a short page, which is written, and are suspect if the API ignores the number", async () => {
  const all = records(25);
  await using api = await startApi({ "/items": dataset(all) });
  const end = await run(api, { api: { pagination: { method: "pagenum", limit: 10, limitParam: "limit" } } });
  // This API ignores page numbers: every page is the first, which the run reports.
  assert.equal(end.stdout, linesOf(all.slice(0, 10)));
  assert.match(messagesOf(end, "warning").join(), /suspect/);
  await using numbered = await startApi(({ params }) => {
    const page = Number(params.get("page"));
    return { items: all.slice((page - 1) * 10, page * 10) };
  });
  const good = await run(numbered, { api: { pagination: { method: "pagenum", limit: 10 } } });
  assert.deepEqual([good.code, good.stdout, messagesOf(good, "warning")], [0, linesOf(all), []]);
  assert.deepEqual(
    numbered.targets(),
    [1, 2, 3].map((page) => `/items?page=${page}&limit=10`),
  );
});

test("a total written as text is compared as a number", async () => {
  const all = records(10);
  const wrap = (page: readonly unknown[]) => ({ items: page, total: "10" });
  await using api = await startApi({ "/items": dataset(all, { wrap }) });
  const end = await run(api, { api: offset(3, { limitStop: { field: "total" } }), args: ["--strict"] });
  assert.deepEqual([end.code, end.stdout, api.log.length], [0, linesOf(all), 4]);
});

test("a job whose total is never reached ends, and is suspect", async () => {
  const wrap = (page: readonly unknown[]) => ({ items: page, total: 100 });
  await using api = await startApi({ "/items": dataset(records(7), { wrap }) });
  const end = await run(api, { api: offset(7, { limitStop: { field: "total" } }) });
  assert.deepEqual([end.code, end.stdout, api.log.length], [0, linesOf(records(7)), 2]);
  assert.match(messagesOf(end, "warning").join(), /suspect.*\b100\b.*\b7\b/);
});

test("--unique drops rows that an insertion has shifted to the next page, and the grown total is reported", async () => {
  const rows = records(8);
  await using api = await startApi((request) => {
    if (api.log.length === 2) rows.unshift({ id: 99, name: "new" });
    return dataset(rows, { wrap: (page, total) => ({ items: page, total }) })(request);
  });
  const end = await run(api, { api: offset(3), args: ["--unique", "id", "--strict"] });
  // The new row is on a page that was read before.
  assert.deepEqual([end.code, end.stdout], [1, linesOf(records(8))]);
  assert.match(messagesOf(end, "warning").join(), /total.*8.*9/);
  assert.match(end.stderr, /suspect.*"total" is 9 and only 8 of the 9 that came are distinct/);
});
