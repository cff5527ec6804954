import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, crawl, rows } from "../pagination/crawl.ts";
import { offset } from "../pagination/tables.ts";

/* Spellings of "there is more" in public APIs and in names that no API is known for, and answers that only look similar. */

type Answer = readonly [dataField: string | undefined, body: unknown, headers?: Readonly<Record<string, string>>];

/** The records of each answer. */
const R = rows(3);

/** Pages that were cut, by the API whose documentation has the spelling. */
const cut: Readonly<Record<string, Answer>> = {
  "Google Custom Search": [
    "items",
    {
      kind: "customsearch#search",
      queries: {
        request: [{ totalResults: "3", count: 3, startIndex: 1 }],
        nextPage: [{ title: "x", totalResults: "95", count: 10, startIndex: 4 }],
      },
      items: R,
    },
  ],
  Kubernetes: ["items", { kind: "PodList", metadata: { resourceVersion: "10245", remainingItemCount: 95 }, items: R }],
  arXiv: ["feed.entry", { feed: { "opensearch:totalResults": "95", "opensearch:startIndex": "0", entry: R } }],
  GData: [
    "feed.entry",
    { feed: { openSearch$totalResults: { $t: "95" }, openSearch$startIndex: { $t: "1" }, entry: R } },
  ],
  "Last.fm": [
    "topartists.artist",
    { topartists: { artist: R, "@attr": { page: "1", perPage: "3", totalPages: "32", total: "95" } } },
  ],
  "SAP Ariba": ["Records", { PageToken: "QWx", Records: R }],
  "The Trade Desk": ["Result", { Result: R, ResultCount: 3, TotalFilteredCount: 95, TotalUnfilteredCount: 120 }],
  Stargate: ["data", { count: 3, pageState: "AAA", data: R }],
  Astra: ["data.documents", { data: { documents: R, nextPageState: "x" } }],
  Nomad: [undefined, R, { "X-Nomad-NextToken": "abc" }],
  Wikidata: ["search", { search: R, "search-continue": 7, success: 1 }],
  "OAI-PMH": ["ListRecords.record", { ListRecords: { record: R, resumptionToken: "x" } }],
  "OAI-PMH from XML": [
    "ListRecords.record",
    { ListRecords: { record: R, resumptionToken: { "#text": "x", "@completeListSize": "95" } } },
  ],
  Opendatasoft: ["records", { nhits: 95, parameters: { rows: 3 }, records: R }],
  "World Bank": ["1", [{ page: 1, pages: 32, per_page: "3", total: 95 }, R]],
  openFDA: ["results", { meta: { results: { skip: 0, limit: 3, total: 95 } }, results: R }],
  Withings: ["body.measuregrps", { status: 0, body: { updatetime: 1, more: 1, offset: 3, measuregrps: R } }],
  Copper: [undefined, R, { "X-PW-TOTAL": "95" }],
  "AWS Resource Groups": ["Users", { Users: R, PaginationToken: "x" }],
  "DataTables 1.9": ["aaData", { iTotalRecords: 95, iTotalDisplayRecords: 95, aaData: R }],
  PostgREST: [undefined, R, { "Content-Range": "0-2/95" }],
};

/** Pages that were cut, with other spellings. */
const spelled: readonly Answer[] = [
  ["items", { isResultsTruncated: true, items: R }],
  ["items", { maxResultsExceeded: true, items: R }],
  ["items", { resultLimitExceeded: true, items: R }],
  ["items", { too_many_results: true, items: R }],
  ["items", { has_additional: true, items: R }],
  ["items", { hasAdditionalResults: true, items: R }],
  ["items", { can_load_more: true, items: R }],
  ["items", { load_more: true, items: R }],
  ["items", { canFetchMore: true, items: R }],
  ["items", { eof: false, items: R }],
  ["items", { reached_end: false, items: R }],
  ["items", { at_end: false, items: R }],
  ["items", { on_last_page: false, items: R }],
  ["items", { final_page: false, items: R }],
  ["items", { records_remaining: 42, items: R }],
  ["items", { page_token: "x", items: R }],
  ["items", { nextPaginationToken: "x", items: R }],
  ["items", { nextQuery: "?p=2", items: R }],
  ["items", { nextRequest: "?before=3", items: R }],
  ["items", { nextSet: "?before=3", items: R }],
  ["items", { next_chunk: "?before=3", items: R }],
  ["items", { next_search_after: ["1", "2"], items: R }],
  ["items", { older: "?before=3", items: R }],
  ["items", { pagination: { older: "?before=3", newer: null }, items: R }],
  ["items", { links: { forward: "?before=3" }, items: R }],
  ["items", { links: [{ "@rel": "next", "@href": "http://x" }], items: R }],
  ["items", { links: [{ name: "next", url: "http://x" }], items: R }],
  ["items", { links: [{ type: "next", url: "http://x" }], items: R }],
  ["items", { link: { rel: "next", href: "http://x" }, items: R }],
  ["items", { page: 1, n_pages: 32, items: R }],
  ["items", { allCount: 95, items: R }],
  ["items", { overall_count: 95, items: R }],
  ["items", { full_count: 95, items: R }],
  ["items", { total_matching: 95, items: R }],
  ["items", { n_total: 95, items: R }],
  [undefined, R, { "X-Resource-Count": "95" }],
  [undefined, R, { "X-List-Total": "95" }],
  [undefined, R, { "X-Collection-Total": "95" }],
  [undefined, R, { "Paging-Headers": '{"totalCount":95,"nextPage":"Yes"}' }],
  [undefined, R, { Pagination: '{"currentPage":1,"itemsPerPage":3,"totalItems":95,"totalPages":32}' }],
  [undefined, R, { "X-Paging": '{"total":95}' }],
  [undefined, R, { "X-Content-Range": "items 0-2/95" }],
];

/** Whole answers, with fields that look like those of paging. */
const alike: readonly Answer[] = [
  ["0.items", [{ items: R }, { items: R, total: 95 }]],
  ["items", { id: 7, more: 1, items: R }],
  ["items", { records: { id: 7, total: 95 }, items: R }],
  ["users", { id: 7, header: { title: "x", total: 95 }, users: R }],
  [
    "items",
    {
      items: [
        {
          id: 1,
          next: "http://x",
          total: 95,
          page: 2,
          pages: 9,
          count: 40,
          has_more: true,
          cursor: "x",
          offset: 3,
          limit: 2,
          more: true,
          next_cursor: "x",
        },
      ],
    },
  ],
  ["lines", { id: 7, total: 95.5, currency: "EUR", lines: R }],
  ["line_items", { order_id: 7, total_price: 95, total_tax: 9, total_discounts: 5, line_items: R }],
  ["items", { total_amount: 95, items: R }],
  ["items", { total_quantity: 95, items: R }],
  ["items", { total_weight: 950, items: R }],
  ["items", { quota: { total: 1000, used: 4, remaining: 996 }, items: R }],
  ["items", { rate: { limit: 5000, remaining: 4999, reset: 1 }, items: R }],
  ["items", { credits_remaining: 100, items: R }],
  ["items", { remaining_calls: 100, items: R }],
  ["items", { quota_remaining: 299, quota_max: 300, has_more: false, items: R }],
  ["items", { meta: { remaining_requests: 12, remaining: 12 }, items: R }],
  [undefined, R, { "X-RateLimit-Remaining": "59", "X-RateLimit-Limit": "60", "X-Rate-Limit-Total": "1000" }],
  ["items", { navigation: { count: 5, items: [{}] }, items: R }],
  ["items", { navigation: { next: { title: "Contact", url: "/contact" } }, items: R }],
  ["items", { links: { docs: "http://x", more: "http://x/about", support: "http://y" }, items: R }],
  ["users", { users: R, records: { total: 95 } }],
  ["items", { page: 1, page_count: 3, items: R }],
  ["items", { page_count: 3, items: R }],
  ["items", { siguiente: "Lunes 3 de marzo", items: R }],
  ["items", { siguiente: "Lunes", items: R }],
  ["items", { siguiente: { paso: "Confirmar" }, items: R }],
  ["items", { next_steps: ["call"], items: R }],
  ["items", { next_run: "2026-01-01T00:00:00Z", items: R }],
  ["items", { next: 1767225600, items: R }],
  ["items", { next: { id: 7, name: "Monaco" }, items: R }],
  ["items", { next: true, items: R }],
  ["items", { complete: true, items: R }],
  ["items", { warning: null, items: R }],
  ["items", { errors: [], items: R }],
  ["items", { errors: ["row 7 bad"], items: R }],
  ["items", { truncated: false, items: R }],
  ["results", { preview: false, init_offset: 0, results: R }],
  ["items", { partial_match: true, items: R }],
  ["items", { limit: 100, offset: 0, items: R }],
  ["items", { limit_reached: false, items: R }],
  ["items", { user: { total: 95, followers_count: 100, next: "x" }, items: R }],
  ["items", { facets: { color: { total: 95, other: 12 } }, items: R }],
  ["hits.hits", { aggregations: { a: { doc_count: 95, sum_other_doc_count: 12 } }, hits: { total: 3, hits: R } }],
  ["messages", { unread_count: 95, messages: R }],
  ["items", { view_count: 95, items: R }],
  ["items", { comment_count: 95, items: R }],
  ["items", { total_views: 95, items: R }],
  ["items", { totalTime: 950, items: R }],
  ["items", { total: 3, per_page: 10, total_pages: 1, items: R }],
  ["items", { count: 3, items: R }],
  ["items", { number: 5, items: R }],
  ["items", { page: 1, per_page: 3, items: R }],
  ["items", { page: 4, items: R }],
  ["items", { cursor: null, items: R }],
  ["items", { paging: { cursors: { after: "x", before: "y" } }, items: R }],
  ["items", { offset: 0, items: R }],
  ["items", { position: 7, items: R }],
  ["items", { first_id: "a", last_id: "c", items: R }],
  ["data", { object: "list", first_id: "a", last_id: "c", has_more: false, data: R }],
  ["items", { last_key: "c", items: R }],
  ["items", { max_per_page: 1000, items: R }],
  ["items", { token: "abc", access_token: "x", items: R }],
  ["items", { session_token: "abc", items: R }],
  ["items", { forward: true, items: R }],
  ["items", { links: { forward: null }, items: R }],
  ["items", { older_than: "2026-01-01", items: R }],
  ["items", { remaining: 0, items: R }],
  ["items", { metadata: { remainingItemCount: 0 }, items: R }],
  ["items", { remaining_budget: 100, items: R }],
  ["items", { remaining_seats: 12, items: R }],
  ["items", { remaining: 12, items: R, product: "x" }],
  ["items", { queries: { request: [{ totalResults: "3", count: 3, startIndex: 1 }] }, items: R }],
  ["items", { queries: { total: 95, next: "x" }, items: R }],
  ["items", { filtered: true, items: R }],
  ["items", { grand_total: 95.2, items: R }],
  ["items", { currency: "EUR", grandTotal: 95, items: R }],
  ["items", { currency: "EUR", subtotal: 80, total: 95, items: R }],
  ["items", { size: 4096, items: R }],
  ["items", { progress: 100, items: R }],
  ["items", { percentComplete: 100, status: "complete", items: R }],
  ["items", { links: [{ rel: "next", href: null }], items: R }],
  ["items", { links: [{ name: "website", url: "http://x" }], items: R }],
  ["items", { links: [{ type: "self", url: "http://x" }], items: R }],
  ["items", { links: [{ name: "next", label: "Continue" }], items: R }],
  [undefined, R, { "X-Count": "3" }],
  [undefined, R, { "Content-Range": "items 0-2/3" }],
  [undefined, R, { "Content-Range": "0-2/3" }],
  [undefined, R, { "Content-Range": "0-2/*" }],
  [
    undefined,
    R,
    {
      "X-Next-Deploy": "2026",
      "X-Nextjs-Cache": "HIT",
      "X-Nextjs-Prerender": "1",
      "X-NextJS-Page": "/api/items",
      "X-Powered-By": "Next.js",
    },
  ],
  [undefined, R, { "X-Page": "1", "X-Per-Page": "20", "X-Offset": "0" }],
  [undefined, R, { Age: "95", "X-Cache-Hits": "12", "X-Served-By": "x", "X-Request-Count": "95" }],
  [undefined, R, { "X-Cache-Hits": "12, 1", "X-Hits": "95" }],
  [undefined, R, { "X-Total-Time": "95", "X-Runtime": "0.1" }],
  [undefined, R, { "X-Csrf-Token": "abc", "X-Id-Token": "abc", "X-Session-Token": "abc" }],
  ["users", { users: R, groups: [{ id: 1 }], total_groups: 95 }],
  ["items", { totals: { total: 95 }, items: R }],
  ["items", { stats: { total: 95, count: 95 }, items: R }],
  ["items", { summary: { total: 95 }, items: R }],
  ["events", { events: [], nextForwardToken: "f/1", nextBackwardToken: "b/1" }],
  ["messages", { messages: R, resultSizeEstimate: 201 }],
  ["items", { context: { total_tokens: 95, size: 200 }, items: R }],
  ["data", { usage: { total_tokens: 95, prompt_tokens: 12 }, data: R }],
  ["items", { eof: true, items: R }],
  ["items", { version: { current: 3, next: 4 }, items: R }],
  ["items", { pagination: { next: null, previous: null, total: 3 }, items: R }],
  ["items", { pages: { current: 1, next: null, last: 1 }, items: R }],
  ["items", { lastPageNumber: 1, items: R }],
  ["items", { next_level: 5, next_page_views: 12, items: R }],
  ["items", { older: false, items: R }],
  ["Result", { Result: R, ResultCount: 3, TotalFilteredCount: 3, TotalUnfilteredCount: 120 }],
  ["data", { draw: 1, recordsTotal: 95, recordsFiltered: 3, data: R }],
  ["aaData", { iTotalRecords: 95, iTotalDisplayRecords: 3, aaData: R }],
];

function verdicts([dataField, body, headers = {}]: Answer) {
  const api: Api = () => ({ body: JSON.stringify(body), headers });
  return [undefined, offset(10)].map((pagination) => {
    const { verdict, error, warnings } = crawl(pagination, api, dataField === undefined ? {} : { dataField });
    assert.equal(error, undefined);
    return { ...verdict, warnings };
  });
}

function assertCut(answer: Answer): void {
  for (const { kind, reason } of verdicts(answer)) assert.equal(kind, "suspect", reason);
}

for (const [api, answer] of Object.entries(cut)) {
  test(`${api}: a page that was cut is suspect`, () => assertCut(answer));
}

for (const answer of spelled) {
  test(`a page that was cut is suspect: ${shown(answer)}`, () => assertCut(answer));
}

for (const answer of alike) {
  test(`a whole answer is complete: ${shown(answer)}`, () => {
    for (const { kind, reason, warnings } of verdicts(answer)) {
      assert.equal(kind, "complete", reason);
      assert.deepEqual(
        warnings.filter((text) => !text.startsWith("the data field")),
        [],
      );
    }
  });
}

function shown([, body, headers]: Answer): string {
  const text = JSON.stringify(headers ?? body).replace(JSON.stringify(R), "[...]");
  return text.length > 120 ? `${text.slice(0, 120)}...` : text;
}

test("a value that repeats the request is no evidence", () => {
  for (const name of ["cursor", "page_token"]) {
    const api: Api = () => JSON.stringify({ [name]: "abc", items: R });
    assert.equal(crawl(undefined, api, { params: { [name]: "abc" } }).verdict?.kind, "complete");
    assert.equal(crawl(undefined, api).verdict?.kind, "suspect");
  }
});

test("the remedy for a position inside a list of one object names its path, with the index", () => {
  const [dataField, body] = cut["Google Custom Search"] ?? [];
  const { verdict } = crawl(undefined, () => JSON.stringify(body), {
    ...(dataField === undefined ? {} : { dataField }),
  });
  assert.match(verdict?.reason ?? "", /"responseParam": "queries.nextPage.0.startIndex"/);
});

test("a page_count that equals the number of records on a short page counts these records, not pages", () => {
  const api: Api = (query) => {
    const records = query.get("offset") === "0" ? rows(10) : rows(3, 11);
    return JSON.stringify({ page_count: records.length, items: records });
  };
  assert.equal(crawl(offset(10), api).verdict?.kind, "complete");
  const full: Api = () => JSON.stringify({ page_count: 20, items: rows(20) });
  assert.equal(crawl(undefined, full).verdict?.kind, "suspect");
  const small: Api = () => JSON.stringify({ page_count: 4, items: R });
  assert.equal(crawl(undefined, small).verdict?.kind, "suspect");
  // It is a number of pages if it differed from the number of records on an earlier page.
  const cut: Api = (query) => {
    const start = Number(query.get("offset"));
    return JSON.stringify({ page_count: 4, items: rows(start < 20 ? 10 : 4, start + 1) });
  };
  assert.match(crawl(offset(10), cut).verdict?.reason ?? "", /"page_count" is 4 and 3 came/);
});

test("an estimated total counts only beside a full page", () => {
  const api =
    (records: number): Api =>
    () =>
      JSON.stringify({ hits: rows(records), estimatedTotalHits: 95 });
  assert.match(crawl(undefined, api(20)).verdict?.reason ?? "", /"estimatedTotalHits" is 95 and 20 came/);
  assert.equal(crawl(undefined, api(3)).verdict?.kind, "complete");
  assert.equal(crawl(offset(30), api(20)).verdict?.kind, "complete");
});
