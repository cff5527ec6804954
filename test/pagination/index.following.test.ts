import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pagination } from "../../src/generated/configuration.ts";
import { createScroll } from "../../src/pagination/index.ts";
import { maxEmptyPages } from "../../src/pagination/trail.ts";
import { type Api, answers, build, crawl, followed, summarize } from "./crawl.ts";
import { type RequestRow, testRequests } from "./tables.ts";

const address = { method: "response.url", urlKey: "next" } as const;
const value = { method: "response.param", responseParam: "next", queryParam: "c" } as const;
const cursor = { method: "cursor", idKey: "id", param: "since" } as const;

const table: RequestRow[] = [
  {
    title: "response.url resolves every kind of address",
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
    title: "response.url with includeParams sends the job's value of a parameter that the next address also has",
    pagination: { ...address, includeParams: true },
    api: followed("?q=old&page=2", null),
    options: { params: { q: "x" } },
    requests: ["items?q=x", "items?q=x&page=2"],
  },
  {
    title: "response.url reads a key with a dot",
    pagination: { method: "response.url", urlKey: "@odata.nextLink", delimiter: "|" },
    api: answers('{"items":[1],"@odata.nextLink":"?page=2"}', '{"items":[2]}'),
    requests: ["items", "items?page=2"],
  },
  {
    title: "response.url with paramIsQuery replaces the job's parameters, and keeps the bytes of the next query",
    pagination: { ...address, paramIsQuery: true, includeParams: true },
    api: followed("?p=2&z=b+c%2f", "p=3&z=b+c", ""),
    options: { params: { a: 1, p: 1 }, endpoint: "items?e=%20" },
    requests: ["items?e=%20&a=1&p=1", "items?e=%20&a=1&p=2&z=b+c%2f", "items?e=%20&a=1&p=3&z=b+c"],
  },
  {
    title: "response.url with paramIsQuery keeps the endpoint's query without includeParams, too",
    pagination: { ...address, paramIsQuery: true },
    api: followed("?p=2", ""),
    options: { params: { a: 1 }, endpoint: "items?e=1" },
    requests: ["items?e=1&a=1", "items?e=1&p=2"],
  },
  {
    title: "response.url with paramIsQuery sends the next query in the body of a POST",
    pagination: { ...address, paramIsQuery: true, includeParams: true },
    api: followed("?p=a%20b&l=1&l=2", ""),
    options: { method: "POST", params: { a: 1, p: 1 } },
    requests: ['items POST {"a":1,"p":1}', 'items POST {"a":1,"p":"a b","l":["1","2"]}'],
  },
  {
    title: "response.param drops the job's parameters, and keeps the defaults and the endpoint's query",
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
    title: "response.param sends numbers as numbers in a body",
    pagination: { ...value, includeParams: true },
    api: answers('{"items":[1],"next":90071992547409931}', '{"items":[2],"next":"7"}', '{"items":[3]}'),
    options: { method: "POST", params: { a: 1 } },
    requests: ['items POST {"a":1}', 'items POST {"a":1,"c":90071992547409931}', 'items POST {"a":1,"c":"7"}'],
  },
  {
    title: "response.param sends a list or an object unchanged in a body",
    pagination: { ...value, includeParams: true },
    api: answers('{"items":[1],"next":["a", 1.10]}', '{"next":{"b": [ {} ]},"items":[2]}', '{"items":[3],"next":[]}'),
    options: { method: "POST", params: { a: 1 } },
    requests: ['items POST {"a":1}', 'items POST {"a":1,"c":["a",1.10]}', 'items POST {"a":1,"c":{"b":[{}]}}'],
  },
  {
    title: "response.param continues with a scroll request",
    pagination: { ...value, scrollRequest: { endpoint: "results?x=1", method: "GET", params: { fields: "all" } } },
    api: followed("t1", "t2", null),
    options: { method: "POST", endpoint: "search", params: { q: "x" } },
    requests: ['search POST {"q":"x"}', "results?x=1&fields=all&c=t1", "results?x=1&fields=all&c=t2"],
  },
  {
    title: "a scroll request without an endpoint keeps that of the job, and with includeParams the job's parameters",
    pagination: { ...value, includeParams: true, scrollRequest: { method: "POST", params: { q: "y" } } },
    api: followed("t1", null),
    options: { endpoint: "search?e=1", params: { q: "x", r: "z" } },
    requests: ["search?e=1&q=x&r=z", 'search?e=1 POST {"q":"y","r":"z","c":"t1"}'],
  },
];

testRequests(table);

test("a response without a usable cursor, token or address is a data error", () => {
  const rowsOf: [Pagination, string, RegExp][] = [
    [cursor, '[{"id":"abc"}]', /no number at "id"/],
    [cursor, '[{"name":1}]', /no number at "id"/],
    [value, `{"items":[1],"next":{"a":"${"x".repeat(1024 * 1024)}"}}`, /"next" is a list or object that is too long/],
    [address, '{"items":[1],"next":7}', /"next" is not a text/],
    [
      address,
      '{"items":[1],"next":"ftp://x.test/"}',
      /"next" is "ftp:\/\/x.test\/", which is not an http\(s\) address/,
    ],
    [address, '{"items":[1],"next":"http://["}', /not an http\(s\) address/],
  ];
  for (const [pagination, text, message] of rowsOf) {
    const { error } = crawl(pagination, answers(text));
    assert.match(String(error?.message), message);
    assert.equal((error as { kind?: string } | undefined)?.kind, "data");
  }
});

test("a scroll request has its own and the job's headers, but not the content type of the job's body", () => {
  const scrollRequest = { endpoint: "more", method: "GET", headers: { "X-B": "2" } } as const;
  const scroll = createScroll({ ...value, scrollRequest }, { build });
  const headersAfter = (method: "GET" | "POST"): string[] => {
    const headers = [
      ["X-A", "1"],
      ["x-b", "1"],
      ["Content-Type", "application/json"],
    ] as const;
    const base = build({ method, endpoint: "items", params: [], headers });
    const { summary } = summarize(scroll, '{"items":[1],"next":"t"}', "http://api.test/v1/items");
    const next = scroll.advance(scroll.start([], 0), summary, 0).next ?? null;
    return [...scroll.request(base, next).headers.values()].map((header) => header.join(": "));
  };
  assert.deepEqual(headersAfter("POST"), ["X-A: 1", "X-B: 2"]);
  assert.deepEqual(headersAfter("GET"), ["X-A: 1", "X-B: 2", "Content-Type: application/json"]);
});

test("pages without records are followed up to a limit", () => {
  const empty: Api = (_query, _request, page) => JSON.stringify({ items: page === 5 ? [1] : [], next: `t${page}` });
  const { requests, error } = crawl(value, empty, { most: 2 * maxEmptyPages });
  assert.equal(requests.length, 5 + maxEmptyPages);
  assert.match(String(error), /10000 pages in a row had no records.*"next".*--max-pages/);
});
