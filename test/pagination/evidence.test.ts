import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, crawl, listApi, rows } from "./crawl.ts";
import { cappedRemedy, type DoubtRow, offset, page, shortPageReason, testDoubts } from "./tables.ts";

const wrapped =
  (records: number, beside: object): Api =>
  () =>
    JSON.stringify({ data: { items: rows(records), ...beside } });

const table: DoubtRow[] = [
  {
    title: "a header Link that cannot be read is evidence of a next page",
    pagination: { method: "link" },
    api: () => ({ body: JSON.stringify(rows(3)), headers: { Link: '<https://x.test/?page=2> rel="next"' } }),
    suspect:
      'ended without an address of rel="next" in the header Link, but the header Link cannot be read, although it mentions a next page',
  },
  {
    title: "a short page below a total names the numbers and the remedy",
    pagination: offset(5000),
    api: listApi(rows(589), 250, { total: 589 }),
    suspect:
      'ended with a page of 250, fewer than the requested 5000, but "total" is 589 and 250 came; if the API limits its pages to 250 records, set "limit": 250 or use --probe-end',
  },
  {
    title: "a short page below a configured total is suspect",
    pagination: offset(5000, { limitStop: { field: "sum" }, evidence: false }),
    api: listApi(rows(589), 250, { sum: 589 }),
    suspect:
      'ended with a page of 250, fewer than the requested 5000, but "sum" is 589 and 250 came; if the API limits its pages to 250 records, set "limit": 250 or use --probe-end',
  },
  {
    title: "the remedy names the setting, whatever the name of the parameter",
    pagination: offset(10, { limitParam: "count" }),
    api: page(3, { total: 9 }),
    suspect: `${shortPageReason}, but "total" is 9 and 3 came; if the API limits its pages to 3 records, set "limit": 3 or use --probe-end`,
  },
  {
    title: "the remedy for a job's own size is in its parameters",
    pagination: offset(50),
    options: { params: { limit: 10 } },
    api: page(3, { total: 9 }),
    suspect: `${shortPageReason}, but "total" is 9 and 3 came; if the API limits its pages to 3 records, set "params": {"limit": 3} or use --probe-end`,
  },
  ...["meta", "_meta", "pagination", "paging", "page_info", "pageInfo", "links", "_links"].map(
    (name): DoubtRow => ({
      title: `a total in ${name} is evidence`,
      pagination: offset(10),
      api: page(3, { [name]: { total: 4 } }),
      suspect: `${shortPageReason}, but "${name}.total" is 4 and 3 came; ${cappedRemedy}`,
    }),
  ),
  {
    title: "a total in an object on the path to the records is evidence",
    pagination: offset(10),
    options: { dataField: "data.items" },
    api: wrapped(3, { meta: { count: 4 } }),
    suspect: `${shortPageReason}, but "data.meta.count" is 4 and 3 came; ${cappedRemedy}`,
  },
  ...[3, 2, 0, "3", null, "", false, {}, [], -1, 3.5, "many"].map(
    (total): DoubtRow => ({
      title: `a total of ${JSON.stringify(total)} is no sign of more than 3`,
      pagination: offset(10),
      api: page(3, { total }),
      suspect: undefined,
    }),
  ),
  {
    title: "a total far beyond 2^53 is compared as a number",
    pagination: offset(10),
    api: page(3, { total: "99999999999999999999" }),
    suspect: `${shortPageReason}, but "total" is 99999999999999999999 and 3 came; ${cappedRemedy}`,
  },
  {
    title: "an object with a link is a sign of more",
    pagination: offset(10),
    api: page(3, { _links: { next: { href: "/x" } } }),
    suspect: `${shortPageReason}, but "_links.next.href" is set; ${cappedRemedy}`,
  },
  {
    title: "evidence: true is the default",
    pagination: offset(10, { evidence: true }),
    api: page(3, { total: 4 }),
    suspect: `${shortPageReason}, but "total" is 4 and 3 came; ${cappedRemedy}`,
  },
];

testDoubts(table);

test("a 202 without records on the first page is suspect, since the answer is not ready", () => {
  const answered =
    (...pages: readonly { items?: unknown[] }[]): Api =>
    (_query, _request, page) => ({ body: JSON.stringify(pages[page - 1]), headers: {}, status: 202 });
  for (const pagination of [undefined, offset(2)]) {
    const { verdict } = crawl(pagination, answered({}), { dataField: "items" });
    assert.equal(verdict?.kind, "suspect");
    assert.match(
      verdict?.reason ?? "",
      /, but the API answered with status 202 \(Accepted\), so the result is not ready; the rule \{"when"/,
    );
    const silent = crawl(pagination, answered({}), { dataField: "items", evidence: false });
    assert.equal(silent.verdict?.kind, "complete");
    assert.equal(crawl(pagination, answered({ items: [1] }), { dataField: "items" }).verdict?.kind, "complete");
  }
  const ended = crawl(offset(2), answered({ items: [1, 2] }, { items: [] }), { dataField: "items" });
  assert.equal(ended.verdict?.kind, "complete");
});

test("a single page with status 206 is suspect, unless a total shows that it is all", () => {
  const part =
    (body: object): Api =>
    () => ({ body: JSON.stringify(body), headers: {}, status: 206 });
  const alone = crawl(undefined, part({ items: rows(3) }));
  assert.equal(alone.verdict?.kind, "suspect");
  assert.match(alone.verdict?.reason ?? "", /the API answered with status 206 \(Partial Content\)/);
  assert.equal(crawl(undefined, part({ items: rows(3), total: 3 })).verdict?.kind, "complete");
  assert.equal(crawl({ method: "none", evidence: false }, part({ items: rows(3) })).verdict?.kind, "complete");
  // Ranges are requested one after the other. The last answer is partial content, too.
  const ranges: Api = (query) => {
    const body = JSON.stringify(query.get("offset") === "0" ? rows(2) : rows(1, 3));
    return { body, headers: {}, status: 206 };
  };
  assert.equal(crawl({ method: "offset", limit: 2 }, ranges).verdict?.kind, "complete");
});

const askedFor = (limit: string, count = 100) =>
  `one page, no paging is configured, but ${count} records came, exactly as many as "${limit}" asks for; configure how the API pages, or set "pagination": {"method": "none"} if these are all records`;

test("without paging, a page with exactly as many records as requested is suspect", () => {
  const list: Api = () => JSON.stringify(rows(100));
  const suspect = crawl(undefined, list, { params: { limit: 100 } });
  assert.deepEqual([suspect.verdict?.kind, suspect.verdict?.reason], ["suspect", askedFor("limit")]);
  const inBody = crawl(undefined, list, { method: "POST", params: { page: { size: 100 } } });
  assert.deepEqual([inBody.verdict?.kind, inBody.verdict?.reason], ["suspect", askedFor("page[size]")]);
  const inAddress = crawl(undefined, list, { endpoint: "items?per_page=100" });
  assert.deepEqual([inAddress.verdict?.kind, inAddress.verdict?.reason], ["suspect", askedFor("per_page")]);
  const silent: [string, ReturnType<typeof crawl>][] = [
    ["fewer came", crawl(undefined, list, { params: { limit: 101 } })],
    ["more came", crawl(undefined, list, { params: { limit: 99 } })],
    ["a configuration that says that one page is all", crawl({ method: "none" }, list, { params: { limit: 100 } })],
    ["a scroller for all pages", crawl(scrollers, list, { params: { limit: 100 }, scroller: "all" })],
    ["evidence is off", crawl(undefined, list, { params: { limit: 100 }, evidence: false })],
    ["as many ids as records", crawl(undefined, () => JSON.stringify(rows(3)), { params: { ids: "1,2,3", limit: 3 } })],
    [
      "a list of as many ids",
      crawl(undefined, () => JSON.stringify(rows(3)), { params: { ids: [1, 2, 3], limit: 3 } }),
    ],
    ["one record", crawl(undefined, () => JSON.stringify(rows(1)), { params: { limit: 1 } })],
    ["an object", crawl(undefined, () => '{"id":1}', { params: { limit: 2 }, dataField: "." })],
    ...[{ total: 3 }, { has_more: false }, { total_pages: 1 }, { next: null }].map(
      (beside): [string, ReturnType<typeof crawl>] => {
        const answer = JSON.stringify({ ...beside, items: rows(3) });
        return [answer, crawl(undefined, () => answer, { params: { limit: 3 }, dataField: "items" })];
      },
    ),
  ];
  for (const [why, { verdict }] of silent) assert.equal(verdict?.kind, "complete", `${why}: ${verdict?.reason}`);
  const own = crawl(undefined, () => JSON.stringify({ count: 3, items: rows(3) }), { params: { limit: 3 } });
  assert.equal(own.verdict?.kind, "suspect", "a count of the page is no total");
  const unnamed = crawl(scrollers, list, { params: { limit: 100 } });
  assert.equal(unnamed.verdict?.kind, "suspect", "a job without a scroller");
});

const scrollers = { method: "multiple", scrollers: { all: { method: "none" }, pages: { method: "pagenum" } } } as const;

test("the reason of a job without paging names a usual page size", () => {
  for (const count of [20, 25, 30, 50, 100, 200, 250, 500, 1000]) {
    const { verdict, warnings } = crawl(undefined, () => JSON.stringify(rows(count)));
    const reason = `one page, no paging is configured; ${count} is a usual page size`;
    assert.deepEqual([verdict?.kind, verdict?.reason, warnings], ["complete", reason, []]);
  }
  const plain = "one page, no paging is configured";
  const answer =
    (beside: object): Api =>
    () =>
      JSON.stringify({ ...beside, items: rows(50) });
  for (const [pagination, api] of [
    [undefined, () => JSON.stringify(rows(49))],
    [{ method: "none" }, answer({})],
    [undefined, answer({ total: 50 })],
    [undefined, answer({ has_more: false })],
  ] as [undefined | { method: "none" }, Api][]) {
    assert.equal(crawl(pagination, api).verdict?.reason, plain);
  }
});
