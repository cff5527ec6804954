import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pagination } from "../../src/generated/configuration.ts";
import { type Api, crawl, rows } from "./crawl.ts";

const url: Pagination = { method: "response.url", urlKey: "next" };

/** An API with 25 records in pages of 10. Each page has the address of a next page, even the last one. */
const always =
  (beside: object): Api =>
  (query) => {
    const offset = Number(query.get("offset"));
    return JSON.stringify({ items: rows(25).slice(offset, offset + 10), next: `?offset=${offset + 10}`, ...beside });
  };

test("a job whose total is reached ends at an empty page, although the page has a next address", () => {
  const result = crawl(url, always({ total: 25 }));
  assert.equal(result.requests.length, 4);
  assert.equal(result.records.length, 25);
  assert.deepEqual(
    [result.verdict?.kind, result.verdict?.reason],
    [
      "complete",
      'ended with an empty page: the total says that all records came, although the address at "next" continues',
    ],
  );
});

test("pages are followed beyond a reached total until an empty one, since the API may count only up to a limit", () => {
  const api: Api = (query) => {
    const offset = Number(query.get("offset"));
    return JSON.stringify({ items: rows(35).slice(offset, offset + 10), next: `?offset=${offset + 10}`, total: 20 });
  };
  const bounded = crawl(url, api, { most: 12 });
  assert.equal(bounded.records.length, 35);
  const all: Api = (query) => {
    const offset = Number(query.get("offset"));
    return JSON.stringify({ items: rows(20).slice(offset, offset + 10), next: `?offset=${offset + 10}`, total: 20 });
  };
  const result = crawl(url, all);
  assert.deepEqual([result.verdict?.kind, result.requests.length, result.records.length], ["complete", 3, 20]);
});

test("a page with the same records under a new token ends the job, and is not written", () => {
  for (const method of [
    { method: "response.param", responseParam: "next", queryParam: "cursr" },
    { method: "response.url", urlKey: "next" },
  ] as const) {
    const api: Api = (_query, _request, page) => JSON.stringify({ items: rows(3), next: `?t=${page}` });
    const result = crawl(method, api);
    assert.equal(result.error, undefined);
    assert.deepEqual([result.verdict?.kind, result.requests.length, result.records.length], ["suspect", 2, 3]);
    assert.match(
      result.verdict?.reason ?? "",
      /^page 2 holds the same 3 records as the page before it, by "id": the API leads/,
    );
  }
});

test("after a resume, only pages with equal bytes count as the same", () => {
  const same: Api = (_query, _request, page) => JSON.stringify({ items: rows(3), next: page });
  const token: Pagination = { method: "response.param", responseParam: "next", queryParam: "c" };
  const result = crawl(token, same, { resumed: true });
  assert.deepEqual([result.verdict?.kind, result.requests.length, result.records.length], ["suspect", 2, 3]);
  const changed: Api = (_query, _request, page) =>
    JSON.stringify({ items: rows(3).map((row) => ({ ...row, age: page })), next: page });
  assert.equal(crawl(token, changed, { resumed: true, most: 20 }).requests.length, 20);
});

test("equal pages of records without an id are written up to a hundred times in a row", () => {
  const token: Pagination = { method: "response.param", responseParam: "next", queryParam: "c" };
  const api =
    (beside: object): Api =>
    (_query, _request, page) =>
      JSON.stringify({ items: [1, 1], next: page, ...beside });
  const result = crawl(token, api({}), { most: 200 });
  assert.deepEqual([result.verdict?.kind, result.requests.length, result.records.length], ["suspect", 100, 198]);
  assert.match(
    result.verdict?.reason ?? "",
    /^page 100 is the last of 100 in a row with the same 2 records: the API leads/,
  );
  assert.equal(crawl(token, api({ total: 1000 }), { most: 200 }).requests.length, 200);
  const ended: Api = (_query, _request, page) => JSON.stringify({ items: [1, 1], next: page < 50 ? page : null });
  assert.deepEqual(crawl(token, ended).verdict?.kind, "complete");
});

test("a job ends when its API starts over after the last page, although one field differs in each answer", () => {
  const part = (page: number) => (page % 2 === 1 ? [1, 2] : [3, 4]);
  const api: Api = (_query, _request, page) => JSON.stringify(part(page).map((id) => ({ id, age: page })));
  const { verdict, requests, records } = crawl({ method: "pagenum" }, api, { most: 21_000 });
  assert.deepEqual([verdict?.kind, requests.length, records.length], ["suspect", 20_001, 40_000]);
  assert.match(verdict?.reason ?? "", /^page 20001 holds the same 2 records as the first page, by "id"/);
});

test("daily reports of two pages each are all written", () => {
  const days = 300;
  const api: Api = (_query, _request, page) => {
    const rowsOfDay = (page % 2 === 1 ? [1, 2] : [3, 4]).map((id) => ({ id, day: `day ${Math.ceil(page / 2)}` }));
    return JSON.stringify(page > 2 * days ? [] : rowsOfDay);
  };
  const { verdict, records } = crawl({ method: "pagenum" }, api, { most: 1000 });
  assert.deepEqual([verdict?.kind, records.length], ["complete", 4 * days]);
});

test("with `evidence: false`, pages are compared only by their bytes", () => {
  const api: Api = (_query, _request, page) => JSON.stringify(rows(2).map((row) => ({ ...row, age: page * row.id })));
  assert.equal(crawl({ method: "pagenum" }, api).requests.length, 2);
  assert.equal(crawl({ method: "pagenum", evidence: false }, api, { most: 9 }).requests.length, 9);
  assert.equal(crawl({ method: "pagenum", evidence: false }, () => JSON.stringify(rows(2))).requests.length, 2);
});

test("a page with a single value after pages with a list is suspect", () => {
  const pages = [JSON.stringify({ items: rows(2) }), '{"items":{"3":{"id":3}}}', '{"items":[]}'];
  const api: Api = (_query, _request, page) => pages[Math.min(page, 3) - 1] ?? "";
  const { verdict } = crawl({ method: "pagenum" }, api, { dataField: "items" });
  assert.equal(verdict?.kind, "suspect");
  assert.match(verdict?.reason ?? "", /page 2 holds one value where the pages before it hold a list/);
});
