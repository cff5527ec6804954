import assert from "node:assert/strict";
import { test } from "node:test";
import { parseValue, type Value } from "../../src/core/values/value.ts";
import { type Api, answers, crawl, listApi, pages, rows } from "./crawl.ts";
import { type RequestRow, testRequests } from "./tables.ts";

const cursor = { method: "cursor", idKey: "id", param: "since" } as const;

const table: RequestRow[] = [
  { title: "a job without paging has one request", pagination: undefined, api: pages(5), requests: ["items"] },
  {
    title: "the offset grows by the page size until a short page",
    pagination: { method: "offset", limit: 2 },
    api: pages(2, 2, 1),
    requests: ["items?limit=2&offset=0", "items?limit=2&offset=2", "items?limit=2&offset=4"],
  },
  {
    title: "the offset goes on after a multiple of the page size, until an empty page",
    pagination: { method: "offset", limit: 2 },
    api: pages(2, 0),
    requests: ["items?limit=2&offset=0", "items?limit=2&offset=2"],
  },
  {
    title: "parameters of paging may have other names",
    pagination: { method: "offset", limit: 2, limitParam: "count", offsetParam: "skip" },
    api: pages(2, 0),
    requests: ["items?count=2&skip=0", "items?count=2&skip=2"],
  },
  {
    title: "a page size among the job's parameters is used, an offset is replaced, and both keep their places",
    pagination: { method: "offset", limit: 9 },
    options: { params: { offset: 4, q: "x", limit: "2" } },
    api: pages(2, 0),
    requests: ["items?offset=0&q=x&limit=2", "items?offset=2&q=x&limit=2"],
  },
  {
    title: "offsetFromJob starts at the job's offset",
    pagination: { method: "offset", limit: 2, offsetFromJob: true },
    options: { params: { offset: "4" } },
    api: pages(2, 0),
    requests: ["items?offset=4&limit=2", "items?offset=6&limit=2"],
  },
  {
    title: "firstPageParams: false leaves the first request unchanged",
    pagination: { method: "offset", limit: 2, firstPageParams: false, offsetFromJob: true },
    options: { params: { offset: 6 } },
    api: pages(2, 0),
    requests: ["items?offset=6", "items?offset=8&limit=2"],
  },
  {
    title: "paging parameters replace those in the endpoint's query",
    pagination: { method: "offset", limit: 2 },
    options: { endpoint: "items?limit=1000&a=%20&offset=7" },
    api: pages(1),
    requests: ["items?limit=2&a=%20&offset=0"],
  },
  {
    title: "the offset is a number in the body of a POST",
    pagination: { method: "offset", limit: 2 },
    options: { method: "POST", params: { q: "x", limit: "2" } },
    api: pages(2, 0),
    requests: ['items POST {"q":"x","limit":2,"offset":0}', 'items POST {"q":"x","limit":2,"offset":2}'],
  },
  {
    title: "pagenum without a size ends with an empty page",
    pagination: { method: "pagenum" },
    api: pages(2, 1, 0),
    requests: ["items?page=1", "items?page=2", "items?page=3"],
  },
  {
    title: "pagenum with a size ends with a short page",
    pagination: { method: "pagenum", limit: 2, limitParam: "n", pageParam: "p", firstPage: 0 },
    api: pages(2, 1),
    requests: ["items?p=0&n=2", "items?p=1&n=2"],
  },
  {
    title: "pagenum with firstPageParams: false uses the job's page size",
    pagination: {
      method: "pagenum",
      limit: 200,
      limitParam: "n",
      pageParam: "p",
      firstPage: 0,
      firstPageParams: false,
    },
    options: { params: { n: 2 } },
    api: pages(2, 1),
    requests: ["items?n=2", "items?n=2&p=1"],
  },
  {
    title: "cursor requests records after the greatest id of all pages, until an empty page",
    pagination: cursor,
    api: answers('[{"id":3},{"id":9}]', '[{"id":10}]', "[]"),
    options: { params: { since: "first", a: 1 } },
    requests: ["items?since=first&a=1", "items?since=9&a=1", "items?since=10&a=1"],
  },
  {
    title: "a reverse cursor requests ids below the smallest one, exact beyond 2^53",
    pagination: { ...cursor, reverse: true, increment: -1 },
    api: answers('[{"id":9224851642388483001},{"id":9224851642388483000}]', "[]"),
    requests: ["items", "items?since=9224851642388482999"],
  },
];

testRequests(table);

test("a page size or an offset of the job that paging cannot use is a configuration error that names it", () => {
  const sizes = [
    '"abc"',
    "{}",
    "[]",
    "true",
    "null",
    "0",
    '"0"',
    "-5",
    '"1e2"',
    "1e2",
    '"2.5"',
    "2.5",
    '" 10 "',
    "1e21",
  ];
  for (const text of sizes) {
    const limit = parseValue(text);
    const { error, requests } = crawl({ method: "offset", limit: 2 }, pages(1), { params: { limit } });
    assert.deepEqual(requests, []);
    assert.match(String(error?.message), /^params\.limit: .* is not allowed: paging needs an integer of at least 1$/);
  }
  const offsets: Value[] = [-1, "x", 1.5, null];
  for (const offset of offsets) {
    const pagination = { method: "offset", limit: 2, offsetFromJob: true } as const;
    const { error } = crawl(pagination, pages(1), { params: { offset } });
    assert.match(String(error?.message), /^params\.offset: .* at least 0$/);
  }
});

test("after a page longer than the size, paging continues after its last record, with one warning", () => {
  const whole = rows(30);
  const ignores = crawl({ method: "offset", limit: 10 }, () => JSON.stringify(whole));
  assert.deepEqual(ignores.requests, ["items?limit=10&offset=0", "items?limit=10&offset=30"]);
  assert.equal(ignores.records.length, 30);
  assert.equal(ignores.verdict?.kind, "suspect");
  assert.equal(ignores.warnings.length, 1);

  const list = rows(17);
  const long: Api = (query) => JSON.stringify(list.slice(Number(query.get("offset")), Number(query.get("offset")) + 5));
  const result = crawl({ method: "offset", limit: 2 }, long);
  assert.deepEqual(
    result.records,
    list.map((row) => JSON.stringify(row)),
  );
  assert.deepEqual(
    result.requests.map((url) => url.split("offset=")[1]),
    ["0", "5", "10", "15", "17"],
  );
  assert.equal(result.warnings.length, 1);
  assert.match(result.warnings[0] ?? "", /5 records although 2 were requested/);
});

test("a first page without paging parameters may be longer than the page size", () => {
  const result = crawl({ method: "offset", limit: 2, firstPageParams: false }, pages(5, 1));
  assert.deepEqual(result.requests, ["items", "items?limit=2&offset=5"]);
  assert.deepEqual(result.warnings, []);
});

test("250 records with a page size of 100 are requested at the offsets 0, 100 and 200", () => {
  const list = rows(250);
  const result = crawl({ method: "offset", limit: 100 }, listApi(list));
  assert.deepEqual(
    result.requests.map((url) => url.split("offset=")[1]),
    ["0", "100", "200"],
  );
  assert.deepEqual(
    result.records,
    list.map((row) => JSON.stringify(row)),
  );
});
