import assert from "node:assert/strict";
import { test } from "node:test";
import type { PageSummary } from "../../src/core/page.ts";
import type { Pagination } from "../../src/generated/configuration.ts";
import type { Progress } from "../../src/pagination/progress.ts";
import { follow, noTrail } from "../../src/pagination/token.ts";
import { type Api, crawl, rows } from "./crawl.ts";

const address: Pagination = { method: "response.url", urlKey: "next" };
const token: Pagination = { method: "response.param", responseParam: "next", queryParam: "c" };
const cursor: Pagination = { method: "cursor", idKey: "id", param: "since" };

/** Each page gives the token after its own: 1, 2, ... `length`, then 1 again. */
const cycle =
  (length: number, lead = 0): Api =>
  (query, _request, page) => {
    const at = Number(query.get("c") ?? 0);
    const next = at < length + lead ? at + 1 : lead + 1;
    return JSON.stringify({ items: rows(1, page), next: `?c=${next}` });
  };
const asToken =
  (api: Api): Api =>
  (query, request, page) =>
    String(api(query, request, page)).replace("?c=", "");

test("a cycle of tokens or addresses is an error once each has been used", () => {
  for (const length of [2, 3, 5]) {
    for (const lead of [0, 4]) {
      for (const [pagination, api] of [
        [address, cycle(length, lead)],
        [token, asToken(cycle(length, lead))],
      ] as const) {
        const result = crawl(pagination, api);
        assert.match(String(result.error?.message), /"next", .*1?, was used earlier in this job/);
        assert.equal(result.requests.length, 1 + lead + length);
        assert.equal(new Set(result.requests).size, result.requests.length);
      }
    }
  }
});

test("a cycle longer than what is remembered is found before it has gone round three times", () => {
  const length = 5000;
  let trail = noTrail;
  const page = { records: 1 } as PageSummary;
  for (let pages = 1; pages <= 3 * length; pages++) {
    const step = follow(trail, String(pages % length), "the token", page, { pages } as Progress);
    if ("fail" in step) {
      assert.ok(pages > length, `found after ${pages} pages`);
      assert.match(step.fail.message, /was used earlier in this job/);
      return;
    }
    assert.ok("next" in step && JSON.stringify(step.next).length < 100_000);
    trail = step.next;
  }
  assert.fail("not found");
});

test("an address that leads to the first page is found on the first page", () => {
  const result = crawl(address, () => JSON.stringify({ items: rows(1), next: "/v1/items?a=1" }), {
    endpoint: "items?a=1",
  });
  assert.equal(result.requests.length, 1);
  assert.equal(result.verdict?.kind, "suspect");
  assert.match(result.verdict?.reason ?? "", /the address at "next" once more that was just used/);
});

test("a token equal to the one just used is the end, and suspect; its repeated page is not written", () => {
  const stands: Api = (_query, _request, page) => JSON.stringify({ items: rows(1, Math.min(page, 2)), next: "t" });
  const result = crawl(token, stands);
  assert.equal(result.requests.length, 2);
  assert.deepEqual(result.records, ['{"id":1}', '{"id":2}']);
  assert.equal(result.verdict?.kind, "suspect");

  const same: Api = () => JSON.stringify({ items: rows(1), next: "t" });
  assert.deepEqual(crawl(token, same).records, ['{"id":1}']);
  assert.equal(crawl(token, same).verdict?.kind, "suspect");
});

test("the same token for ever with empty pages is the ordinary end", () => {
  const api: Api = (_query, _request, page) => JSON.stringify({ items: page === 1 ? rows(2) : [], next: "c1" });
  const result = crawl(token, api);
  assert.equal(result.requests.length, 2);
  assert.equal(result.verdict?.kind, "complete");
});

test("the job's own value of the parameter counts as used", () => {
  const result = crawl(token, () => JSON.stringify({ items: rows(1), next: 1 }), { params: { c: "1" } });
  assert.equal(result.requests.length, 1);
  assert.equal(result.verdict?.kind, "suspect");
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

test("a cycle at the user's limit is no error", () => {
  const limited: Pagination = { ...token, forceStop: { pages: 3 } };
  const result = crawl(limited, asToken(cycle(2)));
  assert.equal(result.error, undefined);
  assert.equal(result.verdict?.kind, "limited");
});

test("a cursor that stands still ends the job, with the remedy", () => {
  const list = rows(4);
  const including: Api = (query) =>
    JSON.stringify(list.filter(({ id }) => id >= Number(query.get("since") ?? 0)).slice(0, 3));
  const result = crawl(cursor, including);
  assert.deepEqual(result.requests, ["items", "items?since=3", "items?since=4"]);
  assert.equal(
    result.verdict?.reason,
    'the cursor stands still at since=4; set "increment": 1 if the API includes the record of the cursor',
  );
  const right = crawl({ ...cursor, increment: 1 } as Pagination, including);
  assert.deepEqual(
    right.records,
    list.map((row) => JSON.stringify(row)),
  );
  assert.equal(right.verdict?.kind, "complete");
  const stuck = crawl({ ...cursor, increment: 1 } as Pagination, (_query, _request, page) => `[{"id":${9 - page}}]`);
  assert.equal(stuck.verdict?.reason, "the cursor stands still at since=9");
});

test("a cursor is the greatest id of all pages, not of the last", () => {
  const api: Api = (_query, _request, page) => ['[{"id":9}]', '[{"id":4}]'][page - 1] ?? "[]";
  const result = crawl(cursor, api);
  assert.deepEqual(result.requests, ["items", "items?since=9"]);
  assert.equal(result.verdict?.kind, "suspect");
});
