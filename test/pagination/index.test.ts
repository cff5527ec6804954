import assert from "node:assert/strict";
import { test } from "node:test";
import { add, compare, decimal, decimalText } from "../../src/core/values/decimal.ts";
import type { Pagination } from "../../src/generated/configuration.ts";
import { addDigest, containsDigest, shortDigest } from "../../src/pagination/digest-list.ts";
import { createScroll, describe } from "../../src/pagination/index.ts";
import { type Api, crawl, rows } from "./crawl.ts";

const off = { method: "offset", limit: 2 } as const;
const num = { method: "pagenum" } as const;
const endless: Api = (_query, _request, page) => JSON.stringify(rows(2, page * 2));

test("a job selects one of the scrollers, and each job starts from the beginning", () => {
  const none = { method: "none" } as const;
  const cases: [Pagination, string | undefined, string][] = [
    [{ method: "multiple", scrollers: { off, num }, default: "off" }, undefined, "items?limit=2&offset=0"],
    [{ method: "multiple", scrollers: { off, num }, default: "off" }, "num", "items?page=1"],
    [{ method: "multiple", scrollers: { off, default: num } }, undefined, "items?page=1"],
    [{ method: "multiple", scrollers: { off, default: num } }, "", "items?page=1"],
    [{ method: "multiple", scrollers: { off, num } }, undefined, "items"],
    [{ method: "multiple", scrollers: { off, none } }, "none", "items"],
    [{ method: "multiple", scrollers: { off, none: {} as typeof none } }, "none", "items"],
    [off, "whatever", "items?limit=2&offset=0"],
  ];
  for (const [pagination, scroller, first] of cases) {
    for (let job = 0; job < 2; job++)
      assert.equal(crawl(pagination, endless, { scroller, maxPages: 2 }).requests[0], first);
  }
});

test("the error about an unknown scroller lists the existing ones", () => {
  const pagination: Pagination = { method: "multiple", scrollers: { off, num } };
  for (const scroller of ["nope", "toString"]) {
    assert.throws(() => createScroll(pagination, { scroller }), {
      code: "ERR_CONFIGURATION",
      message: `no scroller "${scroller}"; there are "off", "num"`,
    });
  }
  assert.throws(() => createScroll({ ...pagination, default: "gone" } as Pagination), /no scroller "gone"/);
});

test("stop rules of a scroller apply only to its jobs", () => {
  const pagination: Pagination = {
    method: "multiple",
    scrollers: { short: { ...off, forceStop: { pages: 1 } }, long: { ...off, forceStop: { pages: 3 } } },
  };
  assert.equal(crawl(pagination, endless, { scroller: "short" }).requests.length, 1);
  assert.equal(crawl(pagination, endless, { scroller: "long" }).requests.length, 3);
});

test("each way of paging has a description", () => {
  const cases: [Pagination | undefined, string][] = [
    [undefined, "no paging"],
    [{ method: "none", fullPage: 20 }, "no paging, one page, suspect if the page has at least 20 records"],
    [off, "offset paging, 2 a page (limit, offset), until a short page"],
    [
      { method: "offset", limit: 5, limitParam: "n", offsetParam: "skip", limitStop: { field: "meta.total" } },
      'offset paging, 5 a page (n, skip), until a short page, until the total at "meta.total" is reached',
    ],
    [num, "page numbers from 1 (page), until an empty page"],
    [
      { method: "pagenum", limit: 3, firstPage: 0, forceStop: { pages: 4, time: 60, volume: 100 } },
      "page numbers from 0, 3 a page (page, limit), until a short page, at most 4 pages, for 60 s, until 100 bytes are exceeded",
    ],
    [{ method: "response.url" }, 'the address at "next_page" of each response, until it is empty'],
    [
      { method: "response.param", responseParam: "t", queryParam: "c", scrollRequest: { endpoint: "more" } },
      'the value at "t" of each response sent as c to more, until it is empty',
    ],
    [
      { method: "cursor", idKey: "id", param: "since", nextPageFlag: { field: "more", stopOn: false } },
      'cursor paging by the greatest "id" (since), until an empty page, until "more" is false',
    ],
  ];
  for (const [pagination, words] of cases) assert.equal(describe(pagination, {}), words);
  assert.match(describe(off, { parameters: [{ name: "limit", value: "7" }] }), /7 a page/);
  assert.equal(describe(off, { parameters: [{ name: "limit", value: { attr: "size" } }] }), describe(off, {}));
});

test("decimals are read, compared, added and written exactly", () => {
  const of = (text: string) => decimal(text) ?? assert.fail(text);
  const ordered = [
    "-9007199254740993",
    "-1.5",
    "-0.5",
    "0",
    "1e-3",
    "0.1",
    "1",
    "9",
    "10",
    "13911860366432392",
    "1.3911860366432393e16",
  ];
  for (const [index, text] of ordered.entries()) {
    for (const [other, than] of ordered.entries()) {
      assert.equal(Math.sign(compare(of(text), of(than))), Math.sign(index - other), `${text} and ${than}`);
    }
  }
  assert.equal(compare(of("1.10"), of("11e-1")), 0);
  const sums: [string, string, string][] = [
    ["13911860366432393", "1", "13911860366432394"],
    ["1.10", "-1", "0.10"],
    ["-0.05", "0", "-0.05"],
    ["1e3", "1", "1001"],
    ["2e2", "0", "200"],
  ];
  for (const [a, b, sum] of sums) assert.equal(decimalText(add(of(a), of(b))), sum);
  for (const text of ["", "x", "1x", "1e", "--1", ".", "1e1001", "0x10", "Infinity", "9".repeat(1001)]) {
    assert.equal(decimal(text), undefined);
  }
});

test("only the latest digests are remembered, up to a limit", () => {
  const [a, b, c] = [shortDigest("a"), shortDigest("b"), shortDigest("c")];
  const two = addDigest(addDigest("", a, 2), b, 2);
  assert.deepEqual(
    [a, b, c].map((one) => containsDigest(two, one)),
    [true, true, false],
  );
  const next = addDigest(two, c, 2);
  assert.deepEqual(
    [a, b, c].map((one) => containsDigest(next, one)),
    [false, true, true],
  );
  // A match across two neighbours does not count.
  assert.equal(containsDigest(two, two.slice(8, 24)), false);
});
