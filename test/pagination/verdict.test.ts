import assert from "node:assert/strict";
import { test } from "node:test";
import type { Request } from "../../src/core/requests/request.ts";
import { createScroll } from "../../src/pagination/index.ts";
import { type Api, answers, crawl, listApi, rows, summarize } from "./crawl.ts";
import { cappedRemedy, type DoubtRow, offset, page, shortPageReason, testDoubts } from "./tables.ts";

const table: DoubtRow[] = [
  {
    title: "evidence: false turns all evidence off",
    pagination: offset(10, { evidence: false }),
    api: page(3, { total: 9, next: "x" }),
    suspect: undefined,
  },
  {
    title: "the reason of a short first page says that no size was requested",
    pagination: offset(10, { firstPageParams: false }),
    api: page(3, { total: 9 }),
    suspect:
      'ended with a page of 3, fewer than the page size of 10, which was not requested, but "total" is 9 and 3 came; if the API\'s own pages have 3 records, set "firstPageParams": true or "limit": 3',
  },
  {
    title: "firstPageParams: false may leave the job's own size in the request",
    pagination: offset(10, { firstPageParams: false }),
    options: { params: { limit: 10 } },
    api: page(3, { total: 9 }),
    suspect: `${shortPageReason}, but "total" is 9 and 3 came; if the API limits its pages to 3 records, set "params": {"limit": 3} or use --probe-end`,
  },
  {
    title: "a job is complete if its total and its flag agree with the end",
    pagination: offset(2),
    api: listApi(rows(5), 2, { total: 5, hasMore: false }),
    suspect: undefined,
  },
  {
    title: "a flag whose field is the list of records says nothing about another page (Elasticsearch's scroll)",
    pagination: offset(10, { nextPageFlag: { field: "items", stopOn: false } }),
    api: page(3, {}),
    suspect: undefined,
  },
  {
    title: "a total counts from the start offset",
    pagination: offset(10, { offsetFromJob: true }),
    options: { params: { offset: 4 } },
    api: listApi(rows(9), 100, { total: 9 }),
    suspect: undefined,
  },
  {
    title: "a total above the start offset plus the received records is suspect",
    pagination: offset(10, { offsetFromJob: true }),
    options: { params: { offset: 4 } },
    api: listApi(rows(7), 100, { total: 9 }),
    suspect: `${shortPageReason}, but "total" is 9 and 3 came after the first 4; ${cappedRemedy}`,
  },
  {
    title: "a total above the received records makes an empty page suspect",
    pagination: offset(7),
    api: listApi(rows(7), 100, { total: 100 }),
    suspect: 'ended with an empty page, but "total" is 100 and 7 came',
  },
  {
    title: "a total on an earlier page makes an empty page without fields suspect",
    pagination: offset(7),
    api: (_query, _request, number) => (number === 1 ? JSON.stringify({ items: rows(7), total: 100 }) : "[]"),
    suspect: 'ended with an empty page, but "total" is 100 and 7 came',
  },
  {
    title: "a flag or a link on an empty page is no evidence",
    pagination: offset(7),
    api: listApi(rows(7), 100, { hasMore: true, next: "/x" }),
    suspect: undefined,
  },
  {
    title: "a count of the page's own records is not a total",
    pagination: offset(3),
    api: (query) => {
      const items = rows(8).slice(Number(query.get("offset")), Number(query.get("offset")) + 3);
      return JSON.stringify({ items, count: items.length });
    },
    suspect: undefined,
  },
  {
    title: "a job that ends without a next link is suspect if a total is greater",
    pagination: { method: "response.url", urlKey: "next" },
    api: (_query, _request, number) =>
      JSON.stringify({ items: rows(5, number * 5), total: 25, next: number === 1 ? "?page=2" : undefined }),
    suspect: 'ended without an address at "next", but "total" is 25 and 10 came',
  },
  {
    title: "a short page is suspect if a total is greater, although its next link is null",
    pagination: offset(252),
    api: page(251, { next: null, meta: { total: 400 } }),
    suspect:
      'ended with a page of 251, fewer than the requested 252, but "meta.total" is 400 and 251 came; if the API limits its pages to 251 records, set "limit": 251 or use --probe-end',
  },
  {
    title: "a short page is suspect if a flag says that there is more",
    pagination: offset(10, { nextPageFlag: { field: "go", stopOn: false } }),
    api: page(3, { go: "yes" }),
    suspect: `${shortPageReason}, but "go" is "yes"; ${cappedRemedy}`,
  },
  {
    title: "a short page is suspect if a flag that is an object says that there is more",
    pagination: offset(10, { nextPageFlag: { field: "go", stopOn: false } }),
    api: page(3, { go: {} }),
    suspect: `${shortPageReason}, but "go" is an object; ${cappedRemedy}`,
  },
  {
    title: "a flag for the end is suspect against a greater configured total",
    pagination: offset(3, { nextPageFlag: { field: "go", stopOn: false }, limitStop: { field: "sum" } }),
    api: page(3, { go: false, sum: 9 }),
    suspect: 'ended because "go" is false, but "sum" is 9 and 3 came',
  },
  {
    title: "a flag for the end is suspect against a greater total in the response",
    pagination: offset(3, { nextPageFlag: { field: "go", stopOn: false } }),
    api: page(3, { go: false, total: 9, next: "/x" }),
    suspect: 'ended because "go" is false, but "total" is 9 and 3 came',
  },
  {
    title: "a configured flag replaces other flags and links",
    pagination: offset(3, { nextPageFlag: { field: "go", stopOn: false } }),
    api: page(3, { go: false, hasMore: true, next: "/x" }),
    suspect: undefined,
  },
  {
    title: "a configured total replaces other totals",
    pagination: offset(10, { limitStop: { field: "sum" } }),
    api: page(3, { sum: 3, total: 9, next: "/x" }),
    suspect: undefined,
  },
  {
    title: "a flag that says that there is more makes a configured total suspect",
    pagination: offset(3, { limitStop: { field: "sum" }, nextPageFlag: { field: "go", stopOn: false } }),
    api: page(3, { sum: 3, go: true }),
    suspect: 'ended at 3 records: "sum" is 3, but "go" is true',
  },
  {
    title: "a job without paging is checked for totals",
    api: page(3, { total: 9 }),
    suspect:
      'the API has more pages; no paging is configured ("total" is 9 and 3 came); spile init can find how the API pages',
  },
  {
    title: "a flag that says that there is more is named with the token beside it",
    api: page(3, { has_more: true, next_cursor: "x" }),
    suspect:
      'the API has more pages; no paging is configured ("has_more" is true); "pagination": {"method": "response.param", "responseParam": "next_cursor", "queryParam": ...} would follow it',
  },
  {
    title: "a job without paging is checked for links",
    api: page(3, { links: { next: "/x" } }),
    suspect:
      'the API has more pages; no paging is configured ("links.next" is set); "pagination": {"method": "response.url", "urlKey": "links.next"} would follow it',
  },
  {
    title: "a relative address counts as an address in a link",
    api: page(3, { _links: { next: { href: "items?page=2" } } }),
    suspect:
      'the API has more pages; no paging is configured ("_links.next.href" is set); "pagination": {"method": "response.url", "urlKey": "_links.next.href"} would follow it',
  },
  {
    title: "a relative address counts as an address under the name of an address",
    api: page(3, { nextLink: "items?page=2" }),
    suspect:
      'the API has more pages; no paging is configured ("nextLink" is set); "pagination": {"method": "response.url", "urlKey": "nextLink"} would follow it',
  },
  {
    title: "a relative address under the name of a token counts as a token",
    api: page(3, { paging: { next: { after: "items?page=2" } } }),
    suspect:
      'the API has more pages; no paging is configured ("paging.next.after" is set); "pagination": {"method": "response.param", "responseParam": "paging.next.after", "queryParam": ...} would follow it',
  },
  {
    title: "a job without paging that gets all its records is complete",
    api: page(3, { total: 3 }),
    suspect: undefined,
  },
  {
    title: "a missing data field is suspect if another list contains objects",
    pagination: offset(10),
    options: { dataField: "data" },
    api: page(3, {}),
    suspect: 'ended with an empty page; dataField "data" is not in the response, but "items" contains objects',
  },
  {
    title: "a data field that is null or empty does not count as missing",
    options: { dataField: "data" },
    api: page(3, { data: null }),
    suspect: undefined,
  },
];

testDoubts(table);

test("a data field that is missing only on a later page is not suspect", () => {
  const api: Api = (_query, _request, number) => JSON.stringify(number === 1 ? { data: rows(2) } : { other: rows(2) });
  assert.equal(crawl(offset(2), api, { dataField: "data" }).verdict?.kind, "complete");
});

test("the total is reported if it is a safe integer, and a configured total takes precedence over a found one", () => {
  assert.equal(crawl(offset(10), page(3, { total: "9" })).verdict?.expected, 9);
  const both = offset(10, { limitStop: { field: "sum" } });
  assert.equal(crawl(both, page(3, { sum: 4, total: 9 })).verdict?.expected, 4);
  assert.equal(crawl(offset(10), page(3, { total: "9007199254740993" })).verdict?.expected, undefined);
  assert.equal(crawl(offset(10), page(3, {})).verdict?.expected, undefined);
});

test("the verdict distinguishes the limit of the command line from that of the configuration", () => {
  assert.equal(crawl(offset(2), page(2, {}), { maxPages: 1 }).verdict?.byCommand, true);
  assert.equal(crawl(offset(2, { forceStop: { pages: 1 } }), page(2, {})).verdict?.byCommand, undefined);
});

test("a total in a tolerated error's body does not count, while an earlier total does", () => {
  const scroll = createScroll(offset(2));
  const { summary } = summarize(
    scroll,
    page(2, { total: 4 })(new URLSearchParams(), {} as Request, 1),
    "http://api.test/",
  );
  const failed = { ...summary, records: 0, ended: "tolerated", status: 404 } as const;
  const first = scroll.start([], 0);
  assert.equal(scroll.advance(first, failed, 0).verdict?.reason.includes('"total"'), false);
  const later = scroll.advance(scroll.advance(first, summary, 0).next ?? null, failed, 0).verdict;
  assert.equal(later?.reason, 'ended with status 404, which ignoreErrors tolerates, but "total" is 4 and 2 came');
});

test("signs of more in a tolerated error's body do not count", () => {
  const scroll = createScroll({ method: "none" });
  const { summary } = summarize(
    scroll,
    page(2, { has_more: true })(new URLSearchParams(), {} as Request, 1),
    "http://api.test/",
  );
  const first = scroll.start([], 0);
  assert.equal(scroll.advance(first, summary, 0).verdict?.kind, "suspect");
  const failed = { ...summary, ended: "tolerated", status: 404 } as const;
  assert.equal(scroll.advance(first, failed, 0).verdict?.kind, "complete");
});

test("the message of the first failed page is reported at the end, although later pages succeeded", () => {
  const failed = JSON.stringify({ items: rows(2), errors: [{ message: "two of four" }] });
  const { verdict } = crawl(offset(2), answers(failed, '{"items":[]}'));
  assert.equal(verdict?.kind, "suspect");
  assert.match(verdict?.reason ?? "", /two of four/);
  const again = JSON.stringify({ items: rows(2, 3), errors: [{ message: "another" }] });
  assert.match(crawl(offset(2), answers(failed, again, '{"items":[]}')).verdict?.reason ?? "", /two of four/);
});

test("with `evidence: false`, no total is reported", () => {
  assert.equal(crawl(offset(10, { evidence: false }), page(3, { total: 9 })).verdict?.expected, undefined);
});

test("a cursor beyond the range of arithmetic is a data error", () => {
  const scroll = createScroll({ method: "cursor", idKey: "id", param: "since", increment: 1 });
  const { summary } = summarize(scroll, '[{"id":1}]', "http://api.test/");
  const huge = { ...summary, extremes: { minimum: "1", maximum: "1e9999" } };
  const { failure } = scroll.advance(scroll.start([], 0), huge, 0);
  assert.equal(failure?.code, "ERR_DATA");
  assert.match(failure?.message ?? "", /no number at "id"/);
});
