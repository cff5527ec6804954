import assert from "node:assert/strict";
import { test } from "node:test";
import type { Value } from "../../src/core/value.ts";
import { parseValue } from "../../src/core/value.ts";
import type { Pagination } from "../../src/generated/configuration.ts";
import { type Api, type CrawlOptions, crawl, listApi, rows } from "./crawl.ts";

/** Answers one text after the other; the last one for ever. */
const answers =
  (...texts: string[]): Api =>
  (_query, _request, page) =>
    texts[Math.min(page, texts.length) - 1] ?? "[]";
const pages = (...sizes: number[]) => answers(...sizes.map((size, page) => JSON.stringify(rows(size, page * 100 + 1))));
const followed = (...tokens: unknown[]) =>
  answers(...tokens.map((next, page) => JSON.stringify({ items: rows(1, page + 1), next })));

interface Row {
  readonly title: string;
  readonly pagination: Pagination | undefined;
  readonly api: Api;
  readonly options?: CrawlOptions;
  readonly requests: readonly string[];
}

const address = { method: "response.url", urlKey: "next" } as const;
const value = { method: "response.param", responseParam: "next", queryParam: "c" } as const;
const cursor = { method: "cursor", idKey: "id", param: "since" } as const;

const table: Row[] = [
  { title: "no paging", pagination: undefined, api: pages(5), requests: ["items"] },
  {
    title: "offset grows by the page size until a short page",
    pagination: { method: "offset", limit: 2 },
    api: pages(2, 2, 1),
    requests: ["items?limit=2&offset=0", "items?limit=2&offset=2", "items?limit=2&offset=4"],
  },
  {
    title: "offset asks on after an exact multiple, until an empty page",
    pagination: { method: "offset", limit: 2 },
    api: pages(2, 0),
    requests: ["items?limit=2&offset=0", "items?limit=2&offset=2"],
  },
  {
    title: "offset under other names",
    pagination: { method: "offset", limit: 2, limitParam: "count", offsetParam: "skip" },
    api: pages(2, 0),
    requests: ["items?count=2&skip=0", "items?count=2&skip=2"],
  },
  {
    title: "the job's own size counts and its offset does not, each in its place",
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
    title: "firstPageParams false leaves the first request alone",
    pagination: { method: "offset", limit: 2, firstPageParams: false, offsetFromJob: true },
    options: { params: { offset: 6 } },
    api: pages(2, 0),
    requests: ["items?offset=6", "items?offset=8&limit=2"],
  },
  {
    title: "offset replaces what stands in the endpoint (A26)",
    pagination: { method: "offset", limit: 2 },
    options: { endpoint: "items?limit=1000&a=%20&offset=7" },
    api: pages(1),
    requests: ["items?limit=2&a=%20&offset=0"],
  },
  {
    title: "offset travels in the body of a POST, as numbers",
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
    title: "pagenum without first parameters, with the job's size",
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
    title: "response.url resolves every kind of address (A40)",
    pagination: address,
    api: followed("?page=2", "items?page=3", "/v2/items?page=4", "http://other.test/x?a=1&a=2&b%5B%5D=%20#f", ""),
    options: { params: { q: "x" } },
    requests: [
      "items?q=x",
      "items?page=2",
      "items?page=3",
      "/v2/items?page=4",
      "http://other.test/x?a=1&a=2&b%5B%5D=%20",
    ],
  },
  ...[null, "", "0", 0, false, [], {}].map((end) => ({
    title: `response.url ends at ${JSON.stringify(end)}`,
    pagination: address,
    api: followed(end),
    requests: ["items"],
  })),
  {
    title: "response.url keeps the defaults and drops the job's parameters",
    pagination: address,
    api: followed("?page=2", null),
    options: { params: { q: "x" }, defaults: [{ name: "lang", value: "en" }] },
    requests: ["items?lang=en&q=x", "items?page=2&lang=en"],
  },
  {
    title: "response.url with includeParams has every name once (A38)",
    pagination: { ...address, includeParams: true },
    api: followed("?q=old&page=2", null),
    options: { params: { q: "x" } },
    requests: ["items?q=x", "items?q=x&page=2"],
  },
  {
    title: "response.url with a key that holds a dot (A41)",
    pagination: { method: "response.url", urlKey: "@odata.nextLink", delimiter: "|" },
    api: answers('{"items":[1],"@odata.nextLink":"?page=2"}', '{"items":[2]}'),
    requests: ["items", "items?page=2"],
  },
  {
    title: "response.url of a query overrides the job's parameters, its bytes kept",
    pagination: { ...address, paramIsQuery: true, includeParams: true },
    api: followed("?p=2&z=b+c%2f", "p=3&z=b+c", ""),
    options: { params: { a: 1, p: 1 }, endpoint: "items?e=%20" },
    requests: ["items?e=%20&a=1&p=1", "items?e=%20&a=1&p=2&z=b+c%2f", "items?e=%20&a=1&p=3&z=b+c"],
  },
  {
    title: "response.url of a query without includeParams keeps the endpoint's own",
    pagination: { ...address, paramIsQuery: true },
    api: followed("?p=2", ""),
    options: { params: { a: 1 }, endpoint: "items?e=1" },
    requests: ["items?e=1&a=1", "items?e=1&p=2"],
  },
  {
    title: "response.url of a query goes into the body of a POST",
    pagination: { ...address, paramIsQuery: true, includeParams: true },
    api: followed("?p=a%20b&l=1&l=2", ""),
    options: { method: "POST", params: { a: 1, p: 1 } },
    requests: ['items POST {"a":1,"p":1}', 'items POST {"a":1,"p":"a b","l":["1","2"]}'],
  },
  {
    title: "response.param drops the job's parameters, keeps defaults and the endpoint's query",
    pagination: value,
    api: followed("c 2", "0"),
    options: { params: { a: 1 }, defaults: [{ name: "d", value: 1 }], endpoint: "items?e=1" },
    requests: ["items?e=1&d=1&a=1", "items?e=1&d=1&c=c%202"],
  },
  {
    title: "response.param with includeParams replaces the job's value in its place",
    pagination: { ...value, includeParams: true },
    api: answers('{"items":[1],"next":90071992547409931}', '{"items":[2],"next":true}', '{"items":[3]}'),
    options: { params: { c: "start", a: 1 } },
    requests: ["items?c=start&a=1", "items?c=90071992547409931&a=1", "items?c=1&a=1"],
  },
  {
    title: "response.param keeps numbers numbers in a body",
    pagination: { ...value, includeParams: true },
    api: answers('{"items":[1],"next":90071992547409931}', '{"items":[2],"next":"7"}', '{"items":[3]}'),
    options: { method: "POST", params: { a: 1 } },
    requests: ['items POST {"a":1}', 'items POST {"a":1,"c":90071992547409931}', 'items POST {"a":1,"c":"7"}'],
  },
  {
    title: "response.param goes on with a scroll request",
    pagination: { ...value, scrollRequest: { endpoint: "results?x=1", method: "GET", params: { fields: "all" } } },
    api: followed("t1", "t2", null),
    options: { method: "POST", endpoint: "search", params: { q: "x" } },
    requests: ['search POST {"q":"x"}', "results?x=1&fields=all&c=t1", "results?x=1&fields=all&c=t2"],
  },
  {
    title: "a scroll request without endpoint keeps the job's, and with includeParams its parameters",
    pagination: { ...value, includeParams: true, scrollRequest: { method: "POST", params: { q: "y" } } },
    api: followed("t1", null),
    options: { endpoint: "search?e=1", params: { q: "x", r: "z" } },
    requests: ["search?e=1&q=x&r=z", 'search?e=1 POST {"q":"y","r":"z","c":"t1"}'],
  },
  {
    title: "cursor goes by the greatest id of all pages, until an empty page",
    pagination: cursor,
    api: answers('[{"id":3},{"id":9}]', '[{"id":10}]', "[]"),
    options: { params: { since: "first", a: 1 } },
    requests: ["items?since=first&a=1", "items?since=9&a=1", "items?since=10&a=1"],
  },
  {
    title: "cursor downwards with an increment, exact beyond 2^53",
    pagination: { ...cursor, reverse: true, increment: -1 },
    api: answers('[{"id":9224851642388483001},{"id":9224851642388483000}]', "[]"),
    requests: ["items", "items?since=9224851642388482999"],
  },
];

for (const { title, pagination, api, options, requests } of table) {
  test(title, () => {
    const result = crawl(pagination, api, options);
    assert.equal(result.error, undefined);
    assert.deepEqual(result.requests, requests);
    assert.equal(result.verdict?.kind, "complete");
  });
}

test("a size or an offset of the job that is no integer is a configuration error that names it (A25)", () => {
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
    assert.match(String(error?.message), /^params\.limit: .* is not allowed, paging needs an integer of at least 1$/);
  }
  const offsets: Value[] = [-1, "x", 1.5, null];
  for (const offset of offsets) {
    const pagination = { method: "offset", limit: 2, offsetFromJob: true } as const;
    const { error } = crawl(pagination, pages(1), { params: { offset } });
    assert.match(String(error?.message), /^params\.offset: .* at least 0$/);
  }
});

test("a page longer than the size: on after what came, warned once (A23, A46)", () => {
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
  assert.match(result.warnings[0] ?? "", /5 records though 2 were asked for/);
});

test("a first page without paging parameters may hold more than the size without a word", () => {
  const result = crawl({ method: "offset", limit: 2, firstPageParams: false }, pages(5, 1));
  assert.deepEqual(result.requests, ["items", "items?limit=2&offset=5"]);
  assert.deepEqual(result.warnings, []);
});

test("a response without usable cursor, token or address is a data error", () => {
  const rowsOf: [Pagination, string, RegExp][] = [
    [cursor, '[{"id":"abc"}]', /no number at "id"/],
    [cursor, '[{"name":1}]', /no number at "id"/],
    [value, '{"items":[1],"next":{"a":1}}', /"next" holds an array or object/],
    [address, '{"items":[1],"next":7}', /"next" holds no text/],
    [
      address,
      '{"items":[1],"next":"ftp://x.test/"}',
      /"next" holds "ftp:\/\/x.test\/", which is not an http\(s\) address/,
    ],
    [address, '{"items":[1],"next":"http://["}', /not an http\(s\) address/],
  ];
  for (const [pagination, text, message] of rowsOf) {
    const { error } = crawl(pagination, answers(text));
    assert.match(String(error?.message), message);
    assert.equal((error as { kind?: string } | undefined)?.kind, "data");
  }
});

test("a list of 250 by 100 asks for 0, 100 and 200 (A22, A23)", () => {
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
