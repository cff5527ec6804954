import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pagination } from "../../../src/generated/configuration.ts";
import { type Api, type CrawlOptions, crawl, rows } from "../crawl.ts";

/** Creates endless full pages of two rows, with more fields beside them. */
const endless =
  (beside: (page: number) => object = () => ({})): Api =>
  (_query, _request, page) =>
    JSON.stringify({ items: rows(2, page * 2), ...beside(page) });
const two = { method: "offset", limit: 2 } as const;

interface Row {
  readonly title: string;
  readonly pagination: Pagination | undefined;
  readonly api: Api;
  readonly options?: CrawlOptions;
  readonly pages: number;
  readonly verdict: "complete" | "limited" | "suspect";
  readonly reason: RegExp;
  readonly warnings?: readonly RegExp[];
}

const flag = (stopOn: boolean, ifNotSet?: boolean) => ({
  ...two,
  nextPageFlag: ifNotSet === undefined ? { field: "more", stopOn } : { field: "more", stopOn, ifNotSet },
});
const total = { ...two, limitStop: { field: "meta.sum" } } as const;
const sum = (value: unknown): Api => endless(() => ({ meta: { sum: value } }));

const table: Row[] = [
  ...[false, 0, "", "0", []].map(
    (value): Row => ({
      title: `nextPageFlag treats ${JSON.stringify(value)} as false`,
      pagination: flag(false),
      api: endless((page) => ({ more: page < 3 ? "no" : value })),
      pages: 3,
      verdict: "complete",
      reason: /^ended because "more" is /,
    }),
  ),
  ...[true, 1, "yes", {}, [0], -0.5].map(
    (value): Row => ({
      title: `nextPageFlag treats ${JSON.stringify(value)} as true`,
      pagination: flag(true, false),
      api: endless((page) => (page < 3 ? {} : { more: value })),
      pages: 3,
      verdict: "complete",
      reason: /^ended because "more" is /,
    }),
  ),
  ...["false", "False", "no"].flatMap((value): Row[] => [
    {
      title: `nextPageFlag treats the text ${JSON.stringify(value)} as true, and doubts the end`,
      pagination: flag(true, false),
      api: endless((page) => (page < 3 ? {} : { more: value })),
      pages: 3,
      verdict: "suspect",
      reason: /^ended because "more" is .*: a text that is not empty counts as true; if .* the rule .*"then": "end"/,
    },
    {
      title: `a short page whose flag is the text ${JSON.stringify(value)} is the end without a doubt`,
      pagination: flag(false),
      api: (_query, _request, page) => JSON.stringify({ items: rows(page < 3 ? 2 : 1, page * 2), more: value }),
      pages: 3,
      verdict: "complete",
      reason: /./,
    },
    {
      title: `an empty page whose flag is the text ${JSON.stringify(value)} ends a job that follows tokens`,
      pagination: {
        method: "response.param",
        responseParam: "next",
        queryParam: "after",
        nextPageFlag: { field: "more", stopOn: false },
      },
      api: (_query, _request, page) =>
        JSON.stringify({ items: page < 3 ? rows(2, page * 2) : [], more: value, next: `token ${page}` }),
      pages: 3,
      verdict: "complete",
      reason: /^ended with an empty page, where "more" is /,
    },
  ]),
  {
    title: "nextPageFlag treats null like a missing field",
    pagination: flag(true),
    api: endless((page) => ({ more: page < 2 ? false : null })),
    pages: 2,
    verdict: "complete",
    reason: /"more" is null, which counts as true/,
  },
  {
    title: "a text as the field of nextPageFlag is a name in the root, not a path",
    pagination: { ...two, nextPageFlag: { field: "p.last", stopOn: true, ifNotSet: false }, forceStop: { pages: 3 } },
    api: endless(() => ({ p: { last: true } })),
    pages: 3,
    verdict: "limited",
    reason: /forceStop\.pages/,
  },
  {
    title: "forceStop.pages stops a job whose flag is always true, and no evidence counts",
    pagination: { ...flag(false), forceStop: { pages: 2 } },
    api: endless(() => ({ more: true, total: 99 })),
    pages: 2,
    verdict: "limited",
    reason: /^stopped after 2 pages by forceStop\.pages$/,
  },
  {
    title: 'the reason of forceStop.pages says "1 page" in the singular',
    pagination: { ...two, forceStop: { pages: 1 } },
    api: endless(() => ({})),
    pages: 1,
    verdict: "limited",
    reason: /^stopped after 1 page by forceStop\.pages$/,
  },
  {
    title: "limitStop.count stops after whole pages, although a flag says that there is more",
    pagination: { ...flag(false), limitStop: { count: 3 } },
    api: endless(() => ({ more: true })),
    pages: 2,
    verdict: "limited",
    reason: /^stopped at 4 records by limitStop\.count \(3\)$/,
  },
  {
    title: "limitStop.count that equals the number of all records does not report missing records",
    pagination: { ...two, limitStop: { count: 4 } },
    api: endless(() => ({ total: 4 })),
    pages: 2,
    verdict: "limited",
    reason: /limitStop\.count/,
  },
  {
    title: "a short page at the user's limit is limited, not suspect",
    pagination: { method: "offset", limit: 10, limitStop: { count: 2 } },
    api: endless(() => ({ total: 50 })),
    pages: 1,
    verdict: "limited",
    reason: /limitStop\.count/,
  },
  {
    title: "a short page at the user's limit, without evidence, is complete",
    pagination: { method: "offset", limit: 10, limitStop: { count: 2 } },
    api: endless(),
    pages: 1,
    verdict: "complete",
    reason: /a page of 2, fewer than the requested 10/,
  },
  {
    title: "forceStop.time counts from the job's start",
    pagination: { ...two, forceStop: { time: 3 } },
    api: endless(),
    options: { pace: 1000 },
    pages: 3,
    verdict: "limited",
    reason: /forceStop\.time/,
  },
  {
    title: "forceStop.volume stops once it is exceeded, not once it is reached",
    pagination: { ...two, forceStop: { volume: 33 } },
    api: (_query, _request, page) => `{"items" : [ {"id":${page}}, {"id":0}]}`,
    pages: 2,
    verdict: "limited",
    reason: /^stopped after 66 bytes by forceStop\.volume \(33\)$/,
  },
  {
    title: "--max-pages limits a job",
    pagination: two,
    api: endless(() => ({ total: 99 })),
    options: { maxPages: 2 },
    pages: 2,
    verdict: "limited",
    reason: /--max-pages/,
  },
  {
    title: "limitStop.field stops at the total, without another request",
    pagination: total,
    api: sum(4),
    pages: 2,
    verdict: "complete",
    reason: /^ended at 4 records: "meta\.sum" is 4$/,
  },
  {
    title: "limitStop.field compares numbers, not texts",
    pagination: total,
    api: sum("10"),
    pages: 5,
    verdict: "complete",
    reason: /ended at 10 records/,
  },
  {
    title: "limitStop.field takes decimals and exponents",
    pagination: total,
    api: (_query, _request, page) => `{"items":[${page * 2},${page * 2 + 1}],"meta":{"sum":6.0e0}}`,
    pages: 3,
    verdict: "complete",
    reason: /ended at 6 records/,
  },
  ...[null, undefined, -1, "many", {}, true].map(
    (value): Row => ({
      title: `limitStop.field that holds ${JSON.stringify(value)} warns once and goes on`,
      pagination: { ...total, forceStop: { pages: 3 } },
      api: sum(value),
      pages: 3,
      verdict: "limited",
      reason: /forceStop/,
      warnings: [/limitStop\.field "meta\.sum" has no total/],
    }),
  ),
  {
    title: "a configured total beyond 2^53 is compared exactly",
    pagination: { method: "offset", limit: 3, limitStop: { field: "meta.sum" } },
    api: () => '{"items":[1,2],"meta":{"sum":9007199254740993}}',
    pages: 1,
    verdict: "suspect",
    reason: /"meta\.sum" is 9007199254740993 and 2 came/,
  },
  {
    title: "a total that changes is reported once, not suspect",
    pagination: { ...total },
    api: endless((page) => ({ meta: { sum: page === 1 ? 5 : 6 } })),
    pages: 3,
    verdict: "complete",
    reason: /ended at 6 records/,
    warnings: [/the total of limitStop\.field changed from 5 to 6 during the job/],
  },
  {
    title: "a tolerated error status ends the job with a warning; a paged job is suspect",
    pagination: two,
    api: (query, request, page) => (page < 3 ? endless()(query, request, page) : { ended: "tolerated", status: 404 }),
    pages: 3,
    verdict: "suspect",
    reason: /^ended with status 404, which ignoreErrors tolerates: no total confirms that all records came/,
    warnings: [/the job ended with status 404/],
  },
  {
    title: "a total with a fraction of zero (25.0) counts as a total",
    pagination: two,
    api: () => '{"items":[1],"total":9.0}',
    pages: 1,
    verdict: "suspect",
    reason: /but "total" is 9 and 1 came/,
  },
  {
    title: "a flag that the job's only page lacks does not replace another flag on it",
    pagination: { ...two, nextPageFlag: { field: "hasMor", stopOn: false } },
    api: endless(() => ({ has_more: true })),
    pages: 1,
    verdict: "suspect",
    reason: /^ended because "hasMor" is absent, which counts as false, but "has_more" is true$/,
  },
  {
    title: "a flag that the job's only page lacks does not replace the next address on it",
    pagination: { method: "response.url", urlKey: "next", nextPageFlag: { field: "hasMor", stopOn: false } },
    api: endless(() => ({ next: "?page=2" })),
    pages: 1,
    verdict: "suspect",
    reason: /^ended because "hasMor" is absent, which counts as false, but "next" is set$/,
  },
  {
    title: "without a known page size, a configured total of the only page counts",
    pagination: { method: "response.url", urlKey: "next", limitStop: { field: "count" } },
    api: endless(() => ({ count: 2, next: "?page=2" })),
    pages: 1,
    verdict: "complete",
    reason: /^ended at 2 records: "count" is 2$/,
  },
  {
    title: "a configured flag ends a job whose next address is always present",
    pagination: { method: "response.url", urlKey: "next", nextPageFlag: { field: "more", stopOn: false } },
    api: endless(() => ({ next: "?page=2", more: false })),
    pages: 1,
    verdict: "complete",
    reason: /^ended because "more" is false$/,
  },
  {
    title: "the message about a flag with dots in its name shows the form for a path",
    pagination: { ...two, nextPageFlag: { field: "meta.has_more", stopOn: false } },
    api: endless(() => ({ meta: { has_more: true } })),
    pages: 1,
    verdict: "suspect",
    reason:
      /but "meta\.has_more" is true; "field" is the name of a member of the root; write \{"path": "meta\.has_more"\} for a path$/,
  },
  {
    title: "a flag that the API omits when it is false replaces others all the same",
    pagination: { ...two, nextPageFlag: { field: "more", stopOn: false } },
    api: endless((page) => (page < 3 ? { more: true, next: "x" } : { next: "x" })),
    pages: 3,
    verdict: "complete",
    reason: /^ended because "more" is absent/,
  },
  {
    title: "a configured total that is only the number of records on a full page does not count if there is more",
    pagination: { ...two, limitStop: { field: "count" } },
    api: endless(() => ({ count: 2, next: "x" })),
    pages: 1,
    verdict: "suspect",
    reason: /^ended at 2 records: "count" is 2, but "next" is set/,
  },
  {
    title: "a configured total below the number of received records does not silence other totals",
    pagination: { ...two, limitStop: { field: "page" } },
    api: endless((page) => ({ page, total: 9 })),
    pages: 1,
    verdict: "suspect",
    reason: /^ended at 2 records: "page" is 1, but "total" is 9 and 2 came/,
  },
  {
    title: "a configured total that equals the received records outweighs links that every page has",
    pagination: { ...two, limitStop: { field: "sum" } },
    api: endless(() => ({ sum: 4, next: "x", has_more: true })),
    pages: 2,
    verdict: "complete",
    reason: /^ended at 4 records: "sum" is 4$/,
  },
  {
    title: "a configured total also replaces other evidence on a page that is not full",
    pagination: { method: "offset", limit: 3, limitStop: { field: "sum" } },
    api: endless(() => ({ sum: 2, next: "x" })),
    pages: 1,
    verdict: "complete",
    reason: /^ended at 2 records: "sum" is 2$/,
  },
  {
    title: "a tolerated error status is the normal end of pages if a total equals the received records",
    pagination: two,
    api: (query, request, page) =>
      page < 3 ? endless(() => ({ total: 4 }))(query, request, page) : { ended: "tolerated", status: 400 },
    pages: 3,
    verdict: "complete",
    reason: /^ended with status 400, which ignoreErrors tolerates$/,
    warnings: [/the job ended with status 400/],
  },
  {
    title: "a tolerated error status ends a job without paging as complete",
    pagination: undefined,
    api: () => ({ ended: "tolerated", status: 404 }),
    pages: 1,
    verdict: "complete",
    reason: /^ended with status 404, which ignoreErrors tolerates$/,
    warnings: [/the job ended with status 404/],
  },
  {
    title: "a tolerated error status is suspect beside a total that says that there is more",
    pagination: two,
    api: (query, request, page) =>
      page < 3 ? endless(() => ({ total: 9 }))(query, request, page) : { ended: "tolerated", status: 400 },
    pages: 3,
    verdict: "suspect",
    reason: /^ended with status 400, which ignoreErrors tolerates, but "total" is 9 and 4 came$/,
    warnings: [/the job ended with status 400/],
  },
  {
    title: "a page without a body ends the job like an empty page",
    pagination: { ...flag(false, true), limitStop: { field: "meta.sum" } },
    api: (_query, _request, page) =>
      page < 3 ? JSON.stringify({ items: rows(2, page * 2), meta: { sum: "7" } }) : { ended: "empty", status: 204 },
    pages: 3,
    verdict: "suspect",
    reason: /^ended with an empty page, but "meta\.sum" is 7 and 4 came$/,
  },
  {
    title: "a repeated page ends the job and is not written, whatever the envelope says",
    pagination: { method: "pagenum", limit: 2 },
    api: (_query, _request, page) =>
      JSON.stringify({ items: rows(2, Math.min(page, 3) * 2), page, ts: `12:00:0${page}` }),
    pages: 4,
    verdict: "suspect",
    reason:
      /^page 4 repeats the 2 records of the page before it: the API ignores the paging parameters, or repeats its/,
  },
  {
    title: "a repeated page is the normal end if a total equals the received records",
    pagination: { method: "pagenum", limit: 2 },
    api: (_query, _request, page) => JSON.stringify({ items: rows(2, Math.min(page, 3) * 2), total: 6 }),
    pages: 4,
    verdict: "complete",
    reason: /^page 4 repeats the 2 records of the page before it$/,
  },
  {
    title: "a repeated page is the normal end if the number of pages equals the received pages",
    pagination: { method: "pagenum", limit: 2 },
    api: (_query, _request, page) => JSON.stringify({ items: rows(2, Math.min(page, 3) * 2), pages: 3 }),
    pages: 4,
    verdict: "complete",
    reason: /^page 4 repeats the 2 records of the page before it$/,
  },
  {
    title: "a repeated page is suspect if the number of pages differs",
    pagination: { method: "pagenum", limit: 2 },
    api: (_query, _request, page) => JSON.stringify({ items: rows(2, Math.min(page, 3) * 2), pages: 4 }),
    pages: 4,
    verdict: "suspect",
    reason: /repeats its last page/,
  },
  {
    title: "a job whose second page repeats the single object of the first is complete",
    pagination: { method: "pagenum" },
    api: () => JSON.stringify({ status: { up: true } }),
    options: { dataField: "status" },
    pages: 2,
    verdict: "complete",
    reason: /^page 2 repeats the record of the page before it$/,
  },
  {
    title:
      "if records have no ids, a warning reports the first page again, and only a repetition of that page ends the job",
    pagination: two,
    api: (_query, _request, page) => JSON.stringify(page === 2 ? [5, 6] : [1, 2]),
    pages: 4,
    verdict: "suspect",
    reason: /^page 4 repeats/,
    warnings: [/page 3 holds the same 2 records as an earlier page/],
  },
  {
    title: "the first page again ends a job whose records have ids",
    pagination: two,
    api: (_query, _request, page) => JSON.stringify(rows(2, page === 3 ? 1 : page * 5 - 4)),
    pages: 3,
    verdict: "suspect",
    reason: /^page 3 holds the same 2 records as the first page, by "id": the API ignores the paging parameters/,
  },
  {
    title:
      "an earlier page again is the normal end if a total equals the received records, even if it names a next page",
    pagination: two,
    api: (_query, _request, page) => JSON.stringify({ items: rows(2, (page % 3) * 2), total: 6, has_more: page !== 3 }),
    pages: 4,
    verdict: "complete",
    reason: /^page 4 holds the same 2 records as the first page, by "id"$/,
  },
  {
    title: "an earlier page again is the normal end if the number of pages equals the received pages",
    pagination: { method: "pagenum" },
    api: (_query, _request, page) => JSON.stringify({ items: rows(2, (page % 3) * 2), pages: 3 }),
    pages: 4,
    verdict: "complete",
    reason: /^page 4 holds the same 2 records as the first page, by "id"$/,
  },
  {
    title: "an earlier page again does not end a job if a total says that more records will come",
    pagination: two,
    api: (_query, _request, page) =>
      JSON.stringify({ items: page === 5 ? [9] : page === 3 ? [2, 3] : [page * 2, page * 2 + 1], total: 9 }),
    pages: 5,
    verdict: "complete",
    reason: /^ended with a page of 1, fewer than the requested 2$/,
    warnings: [/page 3 holds the same 2 records as an earlier page/],
  },
  {
    title: "a job ends as suspect after a thousand pages in a row that repeat earlier ones",
    pagination: two,
    api: (_query, _request, page) => JSON.stringify([page % 3, page % 3]),
    options: { most: 2000 },
    pages: 1003,
    verdict: "suspect",
    reason:
      /^page 1003 holds the 2 records of an earlier page: the 999 pages before it do the same, so the API is in a loop$/,
    warnings: [/page 4 holds the same 2 records as an earlier page/],
  },
];

for (const { title, pagination, api, options, pages, verdict, reason, warnings = [] } of table) {
  test(title, () => {
    const result = crawl(pagination, api, options);
    assert.equal(result.error, undefined);
    assert.equal(result.requests.length, pages);
    assert.match(result.verdict?.reason ?? "", reason);
    assert.equal(result.verdict?.kind, verdict);
    assert.equal(result.warnings.length, warnings.length, result.warnings.join("\n"));
    for (const [index, warning] of warnings.entries()) assert.match(result.warnings[index] ?? "", warning);
  });
}

test("the records of a repeated page are left out, and all others are written once", () => {
  const all = [...rows(2, 2), ...rows(2, 4), ...rows(2, 6)].map((row) => JSON.stringify(row));
  for (const fourth of [6, 2, 4]) {
    const api: Api = (_query, _request, page) =>
      JSON.stringify({ items: rows(2, page < 4 ? page * 2 : fourth), total: 6 });
    assert.deepEqual(crawl(two, api).records, all);
  }
});

test("empty pages do not count as repeated pages", () => {
  const api: Api = (_query, _request, page) =>
    JSON.stringify({ items: page < 4 ? [] : rows(1), next: page < 4 ? `t${page}` : null });
  const result = crawl({ method: "response.param", responseParam: "next", queryParam: "c" }, api);
  assert.equal(result.verdict?.kind, "complete");
  assert.equal(result.requests.length, 4);
});
