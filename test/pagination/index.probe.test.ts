import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pagination } from "../../src/generated/configuration.ts";
import { createScroll } from "../../src/pagination/index.ts";
import { type Api, crawl, listApi, rows, summarize } from "./crawl.ts";

const offset = (limit: number, more: object = {}): Pagination => ({ method: "offset", limit, ...more });
const probing = { probeEnd: true };
const offsets = (requests: readonly string[]) => requests.map((url) => Number(/offset=(\d+)/.exec(url)?.[1]));

test("if a probe finds more records, the offset grows by the number of records that came", () => {
  const result = crawl(offset(10), listApi(rows(7), 3), probing);
  assert.deepEqual(offsets(result.requests), [0, 3, 6]);
  assert.deepEqual(
    result.records,
    rows(7).map((row) => JSON.stringify(row)),
  );
  assert.equal(result.verdict?.kind, "complete");
  assert.match(result.verdict?.reason ?? "", /a page of 1, fewer than the 3 of a page before it/);
});

test("no probe is sent if the total is reached", () => {
  for (const pagination of [offset(5000), offset(5000, { limitStop: { field: "total" } })]) {
    const result = crawl(pagination, listApi(rows(589), 250, { total: 589 }), probing);
    assert.deepEqual(offsets(result.requests), [0, 250, 500]);
    assert.equal(result.records.length, 589);
    assert.equal(result.verdict?.kind, "complete");
  }
  const whole = crawl(offset(10), listApi(rows(3), 99, { total: 3 }), probing);
  assert.equal(whole.requests.length, 1);
});

test("one probe follows a short page, even if the page counts its own records, and no probe follows an empty page", () => {
  assert.deepEqual(offsets(crawl(offset(10), listApi(rows(3)), probing).requests), [0, 3]);
  assert.deepEqual(offsets(crawl(offset(10), listApi(rows(5), 3, { count: 3 }), probing).requests), [0, 3]);
  assert.equal(crawl(offset(10), listApi(rows(0)), probing).requests.length, 1);
});

test("probing can be turned on in the configuration, works with page numbers, and never exceeds the limit of pages", () => {
  assert.deepEqual(offsets(crawl(offset(10, { probeEnd: true }), listApi(rows(7), 3)).requests), [0, 3, 6]);
  const numbered: Api = (query) =>
    JSON.stringify(rows(7).slice((Number(query.get("page")) - 1) * 3, Number(query.get("page")) * 3));
  const byNumber = crawl({ method: "pagenum", limit: 10 }, numbered, probing);
  assert.deepEqual(
    byNumber.records,
    rows(7).map((row) => JSON.stringify(row)),
  );
  assert.equal(byNumber.requests.length, 3);
  assert.equal(crawl(offset(10), listApi(rows(7), 3), { ...probing, maxPages: 1 }).requests.length, 1);
});

test("a position has keys of the last records only if the end is probed", () => {
  for (const probeEnd of [true, false]) {
    const scroll = createScroll(offset(1), { isNested: true, probeEnd });
    const { summary } = summarize(scroll, '[{"id":1}]', "http://api.test/items");
    const recordKeys = [{ id: "1", line: "a" }];
    const { next } = scroll.advance(scroll.start([], 0), { ...summary, recordKeys }, 0);
    assert.equal(/"lastRecords":"[^"]/.test(JSON.stringify(next)), probeEnd);
  }
});
