import assert from "node:assert/strict";
import { test } from "node:test";
import type { PageSummary } from "../../src/core/runs/page.ts";
import type { Pagination } from "../../src/generated/configuration.ts";
import type { ScrollProgress } from "../../src/pagination/scroll-progress.ts";
import { endOfRepetition, follow, noTrail, trailFrom } from "../../src/pagination/trail.ts";
import { type Api, crawl, rows } from "./crawl.ts";

const address: Pagination = { method: "response.url", urlKey: "next" };
const token: Pagination = { method: "response.param", responseParam: "next", queryParam: "c" };
const cursor: Pagination = { method: "cursor", idKey: "id", param: "since" };

/** Creates an API with the tokens 1 to `lead` + `length`, then `lead` + 1 again. `fresh`: each page has new records. */
const cycle =
  (length: number, lead = 0, fresh = false): Api =>
  (query, _request, page) => {
    const at = Number(query.get("c") ?? 0);
    const next = at < length + lead ? at + 1 : lead + 1;
    return JSON.stringify({ items: rows(1, fresh ? page : at), next: `?c=${next}` });
  };
const asToken =
  (api: Api): Api =>
  (query, request, page) =>
    String(api(query, request, page)).replace("?c=", "");

test("a cycle of tokens or addresses is an error when a page comes again, and that page is not written", () => {
  for (const length of [2, 3, 5]) {
    for (const lead of [0, 4]) {
      for (const [pagination, api] of [
        [address, cycle(length, lead)],
        [token, asToken(cycle(length, lead))],
      ] as const) {
        const result = crawl(pagination, api);
        const pages = 1 + lead + length;
        assert.match(
          String(result.error?.message),
          /"next" led to page .*, which holds the same records as an earlier page/,
        );
        assert.equal((result.error as { kind?: string }).kind, "data");
        assert.equal(result.requests.length, pages + 1);
        assert.deepEqual(
          result.records,
          rows(pages, 0).map((row) => JSON.stringify(row)),
        );
      }
    }
  }
});

test("a cycle of tokens with new records is followed", () => {
  const api = asToken(cycle(3, 1, true));
  const end: Api = (query, request, page) =>
    page < 12 ? api(query, request, page) : JSON.stringify({ items: rows(1, 12), next: null });
  const result = crawl(token, end);
  assert.equal(result.error, undefined);
  assert.deepEqual([result.verdict?.kind, result.requests.length, result.records.length], ["complete", 12, 12]);
});

test("a cycle longer than the remembered tokens is found before its third round ends", () => {
  const length = 5000;
  let trail = trailFrom("the job's own");
  for (let pages = 1; pages <= 3 * length; pages++) {
    const page = { records: 1, digest: `page ${(pages - 1) % length}` } as PageSummary;
    const progress = { pages, emptyPages: 0 } as ScrollProgress;
    const round = endOfRepetition(trail, "the token", page, progress);
    if (round !== undefined) {
      assert.ok(pages > length, `found after ${pages} pages`);
      assert.ok("fail" in round);
      assert.match(round.fail.message, /the token led to page/);
      return;
    }
    const step = follow(trail, String(pages % length), "the token", page, progress);
    assert.ok("next" in step);
    // The text is checked only sometimes, because writing it takes longer than a step.
    if (pages % 50 === 0) assert.ok(JSON.stringify(step.next).length < 100_000);
    trail = step.next;
  }
  assert.fail("not found");
});

test("pages without records are no sign of a cycle, and are not remembered", () => {
  const page = (records: number): PageSummary => ({ records, digest: records === 0 ? "" : "a" }) as PageSummary;
  const progress = (pages: number) => ({ pages, emptyPages: 1 }) as ScrollProgress;
  let trail = trailFrom("the job's own");
  for (const [pages, records] of [1, 0, 0, 0].entries()) {
    assert.equal(endOfRepetition(trail, "the token", page(records), progress(pages + 1)), undefined);
    const step = follow(trail, `t${pages % 2}`, "the token", page(records), progress(pages + 1));
    assert.ok("next" in step);
    // Marks are set at page 1, 2, 4 and so on. Pages 2 and 4 have no records, so the mark of page 1 stays.
    if (pages > 0) assert.equal(step.next.mark, trail.mark);
    trail = step.next;
  }
  assert.notEqual(trail.mark, null);
});

test("pages of one token are remembered once, however many there are", () => {
  let trail = trailFrom("t");
  for (let pages = 1; pages <= 50; pages += 1) {
    const page = { records: 1, digest: String(pages) } as PageSummary;
    const progress = { pages, emptyPages: 0, previous: null } as unknown as ScrollProgress;
    const step = follow(trail, "t", "the token", page, progress);
    assert.ok("next" in step);
    trail = step.next;
  }
  // One entry has 20 characters.
  assert.equal(trail.seen.length, 20);
});

test("an address that leads to its own page is requested once more", () => {
  const result = crawl(address, () => JSON.stringify({ items: rows(1), next: "/v1/items?a=1" }), {
    endpoint: "items?a=1",
  });
  assert.equal(result.requests.length, 2);
  assert.equal(result.records.length, 1);
  assert.equal(result.verdict?.kind, "suspect");
  assert.match(result.verdict?.reason ?? "", /repeats that page: the address at "next" stays the same/);
});

test("a token that stays the same is followed while its pages are new", () => {
  for (const pagination of [token, address]) {
    const scroll: Api = (_query, _request, page) =>
      JSON.stringify({ items: page < 4 ? rows(2, page * 2) : [], next: "t" });
    const whole = crawl(pagination, scroll);
    assert.deepEqual([whole.requests.length, whole.records.length, whole.verdict?.kind], [4, 6, "complete"]);
  }
});

test("a token that repeats its own page ends the job as suspect, and that page is not written", () => {
  const stands: Api = (_query, _request, page) => JSON.stringify({ items: rows(1, Math.min(page, 2)), next: "t" });
  const result = crawl(token, stands);
  assert.equal(result.requests.length, 3);
  assert.deepEqual(result.records, ['{"id":1}', '{"id":2}']);
  assert.equal(result.verdict?.kind, "suspect");

  const same: Api = () => JSON.stringify({ items: rows(1), next: "t" });
  assert.deepEqual(crawl(token, same).records, ['{"id":1}']);
  assert.equal(crawl(token, same).verdict?.kind, "suspect");
  const all: Api = () => JSON.stringify({ items: rows(1), next: "t", total: 1 });
  assert.equal(crawl(token, all).verdict?.kind, "complete");
  // Page 3, requested with the same token as page 2, repeats its record and then names another token.
  const leads: Api = (_query, _request, page) =>
    JSON.stringify({ items: rows(1, Math.min(page, 2)), next: page < 3 ? "t" : `t${page}` });
  assert.deepEqual(crawl(token, leads).records, ['{"id":1}', '{"id":2}']);
  assert.equal(crawl(token, leads).verdict?.kind, "suspect");
});

test("a single token is followed 9,999 times, with a warning at the thousandth", () => {
  for (const tokens of [1, 2]) {
    let trail = noTrail;
    const warnings: number[] = [];
    for (let pages = 1; ; pages++) {
      assert.ok(pages <= 10_000 * tokens);
      const page = { records: 1, digest: String(pages) } as PageSummary;
      const progress = { pages, emptyPages: 0, previous: null } as unknown as ScrollProgress;
      assert.equal(endOfRepetition(trail, "the token", page, progress), undefined);
      const step = follow(trail, `t${pages % tokens}`, "the token", page, progress);
      if ("fail" in step) {
        assert.equal(pages, 10_000 * tokens - (tokens - 1));
        assert.match(step.fail.message, /the token, t\d, would be followed for the 10000th time; --max-pages/);
        break;
      }
      assert.ok("next" in step);
      if (step.warning !== undefined) warnings.push(pages);
      trail = step.next;
    }
    assert.deepEqual(
      warnings,
      Array.from({ length: tokens }, (_, index) => 1000 * tokens - (tokens - 1) + index),
    );
  }
});

test("the same token with an empty page is the ordinary end", () => {
  const api: Api = (_query, _request, page) => JSON.stringify({ items: page === 1 ? rows(2) : [], next: "c1" });
  const result = crawl(token, api);
  assert.equal(result.requests.length, 2);
  assert.equal(result.verdict?.kind, "complete");
});

test('a word for "no token" on an empty page is the end (CouchDB\'s bookmark "nil")', () => {
  for (const word of ["nil", "null", "None"]) {
    const api: Api = (_query, _request, page) =>
      JSON.stringify(page < 3 ? { items: rows(2, page * 2), next: `t${page}` } : { items: [], next: word });
    const result = crawl(token, api);
    assert.deepEqual([result.requests.length, result.records.length, result.verdict?.kind], [3, 4, "complete"]);
    assert.match(result.verdict?.reason ?? "", new RegExp(`an empty page, where the value at "next" is "${word}"`));
  }
  // Beside records, it is a token like any other.
  const api: Api = (query) =>
    JSON.stringify({ items: rows(1, query.has("c") ? 2 : 1), next: query.has("c") ? null : "nil" });
  assert.deepEqual(crawl(token, api).records, ['{"id":1}', '{"id":2}']);
});

test("a token that leads back to the start ends the job before a line is written twice", () => {
  /** Pages of the tokens "", 1 and 2, and then `last`, whose token starts over. */
  const round =
    (last: object): Api =>
    (query) => {
      const at = Number(query.get("c") ?? 0) % 10;
      return JSON.stringify(at < 3 ? { items: rows(2, at * 2), next: `${at + 1}` } : last);
    };
  const behindEmpty = crawl(token, round({ items: [], next: "10" }));
  assert.deepEqual([behindEmpty.records.length, behindEmpty.requests.length], [6, 5]);
  assert.equal(behindEmpty.verdict?.kind, "complete");
  assert.match(
    behindEmpty.verdict?.reason ?? "",
    /page 5, requested with the value of an empty page, is the first page again/,
  );

  const behindRecords = crawl(token, round({ items: rows(1, 6), next: "10" }));
  assert.deepEqual([behindRecords.records.length, behindRecords.requests.length], [7, 5]);
  assert.equal(behindRecords.verdict?.kind, "suspect");
  const outcome = crawl(token, round({ items: rows(1, 6), next: "10", total: 7 }));
  assert.deepEqual([outcome.records.length, outcome.verdict?.kind], [7, "complete"]);

  // An API with a cursor that stays the same.
  const scroll: Api = (_query, _request, page) => JSON.stringify({ items: rows(2, ((page - 1) % 3) * 2), next: "s" });
  const same = crawl(token, scroll);
  assert.deepEqual([same.records.length, same.verdict?.kind], [6, "suspect"]);
});

test("a page similar to the first one but with another token is followed, since its records may be new", () => {
  const api: Api = (_query, _request, page) =>
    JSON.stringify({ items: page === 3 ? [] : [{ state: "open" }], next: page < 5 ? `t${page}` : null });
  const result = crawl(token, api);
  assert.deepEqual([result.records.length, result.verdict?.kind], [4, "complete"]);
});

test("a value that the job itself gives to the token's parameter counts as a used token", () => {
  const result = crawl(token, () => JSON.stringify({ items: rows(1), next: 1 }), { params: { c: "1" } });
  assert.equal(result.requests.length, 2);
  assert.equal(result.records.length, 1);
  assert.equal(result.verdict?.kind, "suspect");
});

test("an empty page is the end if its next value is the one that the job itself gives to the parameter", () => {
  const result = crawl(token, () => '{"items":[],"next":1}', { params: { c: "1" } });
  assert.deepEqual([result.requests, result.verdict?.kind], [["items?c=1"], "complete"]);
});

test("equal records under different tokens are different pages", () => {
  const api: Api = (_query, _request, page) => JSON.stringify({ items: [0], next: page < 4 ? page : null });
  for (const pagination of [token]) {
    const result = crawl(pagination, api);
    assert.deepEqual(result.records, ["0", "0", "0", "0"]);
    assert.deepEqual(result.warnings, []);
    assert.equal(result.verdict?.kind, "complete");
  }
});

test("a cycle that ends at the user's limit is no error", () => {
  const limited: Pagination = { ...token, forceStop: { pages: 3 } };
  const result = crawl(limited, asToken(cycle(2)));
  assert.equal(result.error, undefined);
  assert.equal(result.verdict?.kind, "limited");
});

test("a cursor that does not move ends the job, and the message contains the remedy", () => {
  const list = rows(4);
  const including: Api = (query) =>
    JSON.stringify(list.filter(({ id }) => id >= Number(query.get("since") ?? 0)).slice(0, 3));
  const result = crawl(cursor, including);
  assert.deepEqual(result.requests, ["items", "items?since=3", "items?since=4"]);
  assert.equal(
    result.verdict?.reason,
    'the cursor does not move beyond since=4; set "increment": 1 if the API\'s answer begins with the record of the requested id',
  );
  const right = crawl({ ...cursor, increment: 1 } as Pagination, including);
  assert.deepEqual(
    right.records,
    list.map((row) => JSON.stringify(row)),
  );
  assert.equal(right.verdict?.kind, "complete");
  const stuck = crawl({ ...cursor, increment: 1 } as Pagination, (_query, _request, page) => `[{"id":${9 - page}}]`);
  assert.equal(stuck.verdict?.reason, "the cursor does not move beyond since=9");
});

test("the cursor is the greatest id of all pages, not of the last one", () => {
  const api: Api = (_query, _request, page) => ['[{"id":9}]', '[{"id":4}]'][page - 1] ?? "[]";
  const result = crawl(cursor, api);
  assert.deepEqual(result.requests, ["items", "items?since=9"]);
  assert.equal(result.verdict?.kind, "suspect");
});
