import assert from "node:assert/strict";
import { test } from "node:test";
import type { PageSummary } from "../../src/core/runs/page.ts";
import type { Pagination } from "../../src/generated/configuration.ts";
import { createScroll } from "../../src/pagination/index.ts";
import { withFigures } from "../../src/pagination/totals.ts";
import { type Api, crawl, rows, summarize } from "./crawl.ts";

/** Creates pages with these numbers of rows, each with fields beside them. */
const pagesWith =
  (...pages: readonly (readonly [records: number, beside: object])[]): Api =>
  (_query, _request, page) => {
    const [records, beside] = pages[Math.min(page, pages.length) - 1] ?? [0, {}];
    return JSON.stringify({ items: rows(records, page * 100), ...beside });
  };
const two: Pagination = { method: "offset", limit: 2 };

interface Row {
  readonly title: string;
  readonly pagination?: Pagination;
  readonly api: Api;
  readonly suspect: RegExp | undefined;
  readonly warned?: RegExp;
}

const table: readonly Row[] = [
  {
    title: "a total that fell below the number of received records is suspect",
    api: pagesWith([2, { total: 9 }], [2, { total: 9 }], [0, { total: 3 }]),
    suspect: /"total" fell from 9 to 3 while 4 came/,
    warned: /"total" changed from 9 to 3/,
  },
  {
    title: "a total that fell to 0 is suspect, too: the API has lost the session",
    api: pagesWith([2, { total: 9 }], [0, { total: 0 }]),
    suspect: /"total" fell from 9 to 0 while 2 came/,
    warned: /"total" changed from 9 to 0/,
  },
  {
    title: "a total of 0 on the empty page after all records is no change",
    api: pagesWith([2, { total: 4 }], [2, { total: 4 }], [0, { total: 0 }]),
    suspect: undefined,
  },
  {
    title: "a total of 0 on the empty page after all records is no change for a job that begins at a later page either",
    pagination: { method: "pagenum", limit: 2, firstPage: 3 },
    api: pagesWith([2, { total: 8 }], [2, { total: 8 }], [0, { total: 0 }]),
    suspect: undefined,
  },
  {
    title: "a configured total of 0 on the empty page after all records is no change",
    pagination: { method: "pagenum", limit: 2, firstPage: 3, limitStop: { field: "sum" } },
    api: pagesWith([2, { sum: 8 }], [2, { sum: 8 }], [0, { sum: 0 }]),
    suspect: undefined,
  },
  {
    title: "a total of 0 on the empty page after more records than the total is suspect",
    api: pagesWith([2, { total: 3 }], [2, { total: 3 }], [0, { total: 0 }]),
    suspect: /"total" fell from 3 to 0 while 4 came/,
    warned: /"total" changed from 3 to 0/,
  },
  {
    title: "a configured total that fell below the number of received records is suspect",
    pagination: { ...two, limitStop: { field: "sum" } },
    api: pagesWith([2, { sum: 9 }], [2, { sum: 0 }]),
    suspect: /"sum" fell from 9 to 0 while 4 came/,
    warned: /changed from 9 to 0/,
  },
  {
    title: "a total that fell to the number of received records means that pages by offset have shifted",
    api: pagesWith([2, { total: 5 }], [2, { total: 4 }], [0, { total: 4 }]),
    suspect:
      /^ended with an empty page, but "total" fell from 5 to 4 between two pages: records were removed, so the pages shifted/,
    warned: /"total" changed from 5 to 4/,
  },
  {
    title: "a configured total that fell to the number of received records is suspect, too",
    pagination: { method: "pagenum", limit: 2, limitStop: { field: "sum" } },
    api: pagesWith([2, { sum: 5 }], [2, { sum: 4 }]),
    suspect: /the total of limitStop.field fell from 5 to 4 between two pages/,
    warned: /changed from 5 to 4/,
  },
  {
    title: "a total that fell and rose again is suspect",
    api: pagesWith([2, { total: 5 }], [2, { total: 4 }], [1, { total: 5 }]),
    suspect: /"total" fell from 5 to 4 between two pages: .* may never have been requested$/,
    warned: /"total" changed from 5 to 4/,
  },
  {
    title: "a total that grew is reported, not suspect",
    api: pagesWith([2, { total: 3 }], [2, { total: 4 }], [0, { total: 4 }]),
    suspect: undefined,
    warned: /"total" changed from 3 to 4/,
  },
  {
    title: "with tokens, a total that fell to the number of received records is reported, not suspect",
    pagination: { method: "response.param", responseParam: "next", queryParam: "c" },
    api: pagesWith([2, { total: 5, next: 1 }], [2, { total: 4 }]),
    suspect: undefined,
    warned: /"total" changed from 5 to 4/,
  },
  {
    title: "a number that is each page's own number of records is not a total",
    api: pagesWith([2, { total: 2 }], [2, { total: 2 }], [1, { total: 1 }]),
    suspect: undefined,
  },
  {
    title: "an empty last page does not make the page's own count a total",
    api: pagesWith([2, { count: 2 }], [0, { count: 0 }]),
    suspect: undefined,
  },
  {
    title: "a total that was below the number of received records from the start raises no doubt",
    api: pagesWith([2, { total: 1 }], [2, { total: 1 }], [0, { total: 1 }]),
    suspect: undefined,
  },
  {
    title: "with a cursor a total may count only the remaining records",
    pagination: { method: "cursor", idKey: "id", param: "since" },
    api: pagesWith([2, { total: 5 }], [2, { total: 3 }], [1, { total: 1 }], [0, { total: 0 }]),
    suspect: undefined,
  },
  {
    title: "with a cursor, a total that falls with the remaining records still shows that more follow",
    pagination: { method: "response.param", responseParam: "next", queryParam: "c" },
    api: pagesWith([2, { total: 5, next: 1 }], [2, { total: 3 }]),
    suspect: /"total" is 5 and 4 came/,
  },
  {
    title: "by offset a falling total means that rows have disappeared",
    api: pagesWith([2, { total: 6 }], [2, { total: 4 }], [1, { total: 2 }]),
    suspect: /"total" fell from 6 to 2 while 5 came/,
    warned: /"total" changed from 6 to 4/,
  },
  {
    title: "a number of pages includes those before the first page",
    pagination: { method: "pagenum", limit: 2, firstPage: 3 },
    api: pagesWith([2, { pages: 4 }], [1, { pages: 4 }]),
    suspect: undefined,
  },
  {
    title: "a number of pages is also evidence of more",
    pagination: { method: "pagenum", limit: 2, firstPage: 3 },
    api: pagesWith([1, { pages: 4 }]),
    suspect: /"pages" is 4 and 1 came after the first 2/,
  },
];

for (const { title, pagination = two, api, suspect, warned } of table) {
  test(title, () => {
    const { verdict, warnings, error } = crawl(pagination, api);
    assert.equal(error, undefined);
    assert.equal(verdict?.kind, suspect === undefined ? "complete" : "suspect", verdict?.reason);
    assert.match(verdict?.reason ?? "", suspect ?? /./);
    assert.equal(warnings.length, warned === undefined ? 0 : 1, warnings.join());
    assert.match(warnings.join(), warned ?? /^$/);
  });
}

test("a total greater than the number of distinct records is suspect, however many records came", () => {
  for (const [pagination, beside] of [
    [two, { total: 3 }],
    [{ ...two, limitStop: { field: "total" } } as Pagination, { total: 3 }],
    [two, { total: 4, has_more: false }],
  ] as const) {
    const scroll = createScroll(pagination);
    const page = (records: number, dropped: number) => {
      const body = JSON.stringify({ items: rows(records), ...beside });
      return { ...summarize(scroll, body, "http://api.test/").summary, dropped, digest: String(records) };
    };
    const { next } = scroll.advance(scroll.start([], 0), page(2, 0), 0);
    const end = (dropped: number) => scroll.advance(next ?? null, page(1, dropped), 0).verdict;
    assert.equal(end(0)?.kind, "complete");
    assert.equal(end(1)?.kind, "suspect");
    assert.match(
      end(1)?.reason ?? "",
      new RegExp(`"total" is ${beside.total} and only 2 of the 3 that came are distinct`),
    );
  }
});

test("only the first 32 totals are remembered", () => {
  const figures = Array.from({ length: 40 }, (_, index) => ({
    kind: "total" as const,
    origin: { header: `X-${index}` },
    text: "5",
  }));
  const first = withFigures({}, figures, { records: 1 } as PageSummary, { records: 0, skipped: 0 });
  assert.equal(Object.keys(first).length, 32);
  const second = withFigures(first, figures.reverse(), { records: 1 } as PageSummary, { records: 1, skipped: 0 });
  assert.deepEqual(Object.keys(second), Object.keys(first));
  assert.equal(second["the header X-0"]?.times, 2);
});
