import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, crawl, rows } from "../pagination/crawl.ts";
import { offset } from "../pagination/tables.ts";
import {
  evidenceFields,
  evidenceHeaders,
  evidencePlaces,
  type HeaderMeaning,
  type Meaning,
  spellings,
} from "./earlier-names.ts";

/* Tests of each row of the table of evidence: it makes a page of 3 records suspect, although 10 were requested, or does not. */

/** Values of a field that report more than the 3 records of the page, and values that do not. */
const values: Record<Meaning, { more: unknown[]; none: unknown[] }> = {
  total: {
    // JSON writes 1e21 with its exponent.
    more: [
      4,
      "4",
      1e21,
      { value: 1e21 },
      "99999999999999999999",
      { value: 4, relation: "eq" },
      { value: "4" },
      { count: 4 },
      "1,234",
    ],
    none: [
      3,
      2,
      "3",
      3.5,
      -1,
      -1e21,
      1.5e-7,
      1e300,
      {},
      { value: 3 },
      { value: true },
      { relation: "4" },
      [4],
      "4 rows",
      "1,2",
      true,
    ],
  },
  count: { more: [4, "4", 1e21], none: [3, 10, "10", { value: 4 }, {}] },
  pages: { more: [2, "2", 1e21], none: [1, "1", 0, "http://api.test/?page=9", { value: 2 }] },
  more: { more: [true, "true"], none: ["false", 2, "yes", {}] },
  last: { more: [false, "false"], none: [true, "true", 2] },
  next: {
    more: ["x", "/items?page=2", { after: "x" }, { a: { href: "/2" } }, ["x"], [{ href: "/2" }]],
    none: ["0", true, { a: "" }, { a: null, b: [] }, [""], { href: null, title: "Next" }],
  },
  number: {
    more: ["x", 2, "2", { offset: "x" }, { page: 2 }],
    none: ["0", -1, true, { page: 0 }, { page: -1 }, { page: 2, exists: false }],
  },
  address: { more: ["x", "/items?page=2", { after: "x" }, { href: "/2" }], none: ["0", 2, true, { page: 2 }] },
  links: {
    more: [
      [
        { rel: "self", href: "/1" },
        { rel: "next", href: "/2" },
      ],
      [{ rel: "prev next", url: "/2" }],
    ],
    none: [[{ rel: "prev", href: "/0" }], [{ rel: "next", href: "" }], [{ href: "/2" }], ["/2"], "/2"],
  },
  beside: { more: [], none: [4, 99, "x", true, "99"] },
  offset: {
    more: ["itrosopPlPPd6bIpF/recjepfmn8tKUPXOz"],
    none: [4, 99, "99", "+01:00", "Europe/Prague", true],
  },
  failure: { more: [], none: [] },
};
/** Values that mean nothing in any field, except that a false flag may mean that there is more. */
const nothing = [null, "", false, 0, {}, []];

/** Returns the verdict on a page of this number of records with something beside them, or in its headers. */
function verdict(
  beside: object,
  { records = 3, headers = {} }: { records?: number; headers?: Record<string, string> } = {},
) {
  const api: Api = () => ({ body: JSON.stringify({ items: rows(records), ...beside }), headers });
  const { error, verdict: found } = crawl(offset(10), api, { dataField: "items" });
  assert.equal(error, undefined);
  return found;
}

function assertSuspect(beside: object, name: string): void {
  const found = verdict(beside);
  assert.equal(found?.kind, "suspect", JSON.stringify(beside));
  assert.ok(found?.reason.includes(name), `${found?.reason} does not name ${name}`);
}

function assertComplete(beside: object): void {
  const found = verdict(beside);
  assert.equal(found?.kind, "complete", `${JSON.stringify(beside)}: ${found?.reason}`);
}

for (const [row, meaning] of evidenceFields) {
  test(`a page with ${row} (${meaning}) is suspect exactly for the values that report more records`, () => {
    const { more, none } = values[meaning];
    for (const name of spellings(row)) {
      for (const value of more) {
        assertSuspect({ [name]: value }, name);
        assertSuspect({ meta: { [name]: value } }, `meta.${name}`);
        assertSuspect({ pagination: { page: { [name]: value } } }, `pagination.page.${name}`);
        if (!row.startsWith("exceeded")) assertComplete({ other: { [name]: value } });
        assertComplete({ meta: { pagination: { page: { [name]: value } } } });
      }
      // If a flag for the last page is false, it says that there is more.
      const reported = meaning === "last" ? [false, 0] : row === "last page" ? [false] : [];
      const silent = [...none, ...nothing].filter((value) => !reported.some((one) => one === value));
      for (const value of silent) assertComplete({ [name]: value, meta: { [name]: value } });
    }
    assertComplete({ [`x${row.replaceAll(" ", "")}`]: more[0] });
  });
}

test("a name is spelled in snake, camel, Pascal and kebab case", () => {
  assert.deepEqual(spellings("total count"), ["total_count", "totalCount", "TotalCount", "total-count"]);
  assert.deepEqual(spellings("total"), ["total", "Total"]);
  assert.deepEqual(spellings("@odata.count"), ["@odata.count"]);
  const names = evidenceFields.flatMap(([row]) => spellings(row));
  assert.equal(new Set(names).size, names.length, "a name occurs twice");
});

for (const place of evidencePlaces.flatMap(spellings)) {
  test(`fields in the object ${place} are evidence`, () => {
    assertSuspect({ [place]: { total: 4 } }, `"${place}.total" is 4 and 3 came`);
    assertSuspect({ [place]: { pages: { total: 4 } } }, `"${place}.pages.total"`);
    assertComplete({ [place]: { total: 3 } });
    assertComplete({ [place]: [{ total: 4 }] });
  });
}

test("after an empty page, only totals and numbers of pages count", () => {
  for (const [row, meaning] of evidenceFields) {
    for (const value of values[meaning].more) {
      const [name = ""] = spellings(row);
      const found = verdict({ [name]: value }, { records: 0 });
      // A search that did not end may have more records, even if none came.
      const counts = ["total", "count", "pages"].includes(meaning) || row === "incomplete results";
      assert.equal(found?.kind, counts ? "suspect" : "complete", `${name}: ${JSON.stringify(value)}`);
    }
  }
});

test("`count` is not a total beside a start, an offset or a size", () => {
  for (const beside of ["start", "offset", "skip", "limit", "size"]) {
    assertComplete({ paging: { [beside]: 0, count: 50 } });
    assertSuspect({ [beside]: 0, paging: { count: 50 } }, "paging.count");
    assertSuspect({ [beside]: 0, total: 50 }, "total");
  }
});

test("`next` may be a number beside `page` or `pages`", () => {
  assertSuspect({ page: 1, next: 2 }, '"next" is set');
  assertSuspect({ meta: { pages: 1, next: 2 } }, '"meta.next" is set');
  assertComplete({ page: 1, meta: { next: 2 } });
  assertComplete({ page: 1, next: 0 });
});

test("the beginning of a long list or object is enough as evidence", () => {
  const long = "x".repeat(5000);
  assertSuspect({ next: [{ title: long, href: "/2" }] }, '"next" is set');
  assertSuspect({ meta: { next_cursor: { of: long } } }, '"meta.next_cursor" is set');
  assertSuspect({ links: [{ rel: "next", href: "/2", title: long }] }, '"links" has rel "next"');
  assertComplete({ links: [{ rel: "prev", href: "/2", title: long }] });
});

test("a flag for the last page outweighs a greater total, and links that every page has", () => {
  assertComplete({ meta: { has_more: false }, links: { next: "/items?after=x" } });
  assertComplete({ isLast: true, nextPageToken: "x" });
  assertComplete({ has_more: false, total: 4 });
  assertSuspect({ has_more: false, is_truncated: true }, "is_truncated");
  assertSuspect({ truncated: false, next: "x" }, '"next" is set');
  assertSuspect({ is_truncated: false, partial: false, next: "x" }, '"next" is set');
});

test("values that an API repeats on its last page are no evidence", () => {
  assertComplete({ scroll_id: "x", _scroll_id: "x", paging: { cursors: { after: "x", before: "y" } } });
});

const headerValues: Record<HeaderMeaning, { more: string[]; none: string[] }> = {
  total: { more: ["4", " 95 "], none: ["3", "", "many", "-1", "4.5"] },
  pages: { more: ["2"], none: ["1", "0", ""] },
  number: { more: ["2", "abc"], none: ["", " ", "0"] },
  range: { more: ["items 0-2/95", "rows */4"], none: ["items 0-2/3", "bytes 0-2/95", "items 0-2/*", "95", ""] },
  relation: {
    more: [
      '<http://api.test/items?page=2>; rel="next"',
      '<a,b>; rel=prev, <c>;rel="last NEXT"',
      '<a>; rel="prev" , <b> ; rel = next',
    ],
    none: [
      ...['<a>; rel="prev"', '<a>; rel="nextish"', '<a>; title="rel=next"', "next", '<>; rel="next"', ""],
      '<a>; rel="previous"; results="true", <b>; rel="next"; results="false"; cursor="0:100:0"',
    ],
  },
  fields: {
    more: [
      '{"TotalCount":4,"PageSize":3,"CurrentPage":1,"TotalPages":2,"HasNext":true}',
      '{"totalCount":"4"}',
      '{"totalPages":2}',
      '{"hasNext":true}',
      '{"nextPageLink":"http://api.test/items?page=2"}',
      '{"next_page":2}',
    ],
    none: [
      ...['{"TotalCount":3,"TotalPages":1,"HasNext":false}', '{"totalCount":3,"nextPageLink":""}', '{"other":4}'],
      ...['{"isLast":true,"nextToken":"x"}', '{"offset":0,"count":4}', '[{"total":4}]', "4", "{", "{}", "null", ""],
    ],
  },
};

for (const [name, meaning] of evidenceHeaders) {
  test(`a page with the header ${name} (${meaning}) is suspect exactly for the values that report more records`, () => {
    for (const value of headerValues[meaning].more) {
      const found = verdict({}, { headers: { [name.toLowerCase()]: value } });
      assert.equal(found?.kind, "suspect", value);
      assert.ok(found?.reason.includes(`the header ${name} `), found?.reason);
      assert.equal(verdict({}, { headers: { [`x-other-${name}`]: value } })?.kind, "complete", value);
    }
    for (const value of headerValues[meaning].none) {
      assert.equal(verdict({}, { headers: { [name.toLowerCase()]: value } })?.kind, "complete", value);
    }
  });
}
