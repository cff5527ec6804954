import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pagination } from "../../src/generated/configuration.ts";
import { createScroll, type Position } from "../../src/pagination/index.ts";
import { forSeeds } from "../helpers/seeds.ts";
import { type Api, build, crawl, summarize } from "./crawl.ts";

/** Creates a small generator of numbers from a seed (mulberry32), so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Simulation {
  readonly pagination: Pagination;
  readonly api: Api;
  readonly probeEnd: boolean;
  /** The rows that the job must write. */
  readonly rows: readonly string[];
  /** True if its end must be suspect. */
  readonly suspect: boolean;
  readonly start: number;
}

/** Creates an API that limits or exceeds page sizes, or repeats its last page, with or without a total; and the expected result. */
function simulate(seed: number): Simulation {
  const below = random(seed);
  const size = 1 + below(6);
  const list = Array.from({ length: below(30) }, (_, index) => ({ id: index, x: below(3) }));
  const kind = (["plain", "capped", "overfull", "last"] as const)[below(4)] ?? "plain";
  const tells = below(2) === 0;
  const asText = below(2) === 0;
  const start = below(3) === 0 ? below(5) : 0;
  const probeEnd = below(2) === 0;
  const cap = kind === "capped" ? 1 + below(size) : kind === "overfull" ? size + 1 + below(4) : size;
  const api: Api = (query) => {
    const offset = Number(query.get("offset"));
    const from = kind === "last" && list.length > 0 ? Math.min(offset, Math.max(list.length - size, 0)) : offset;
    const items = list.slice(from, from + (kind === "overfull" ? cap : Math.min(Number(query.get("limit")), cap)));
    return JSON.stringify({ items, ...(tells ? { total: asText ? String(list.length) : list.length } : {}) });
  };
  const pagination = { method: "offset", limit: size, offsetFromJob: true } as const;
  const all = list.slice(start).map((row) => JSON.stringify(row));
  // A page with fewer records than the page size ends the job (contract C-6.2), unless the end is probed.
  const stops = kind === "capped" && cap < size && !probeEnd;
  const rows = stops ? all.slice(0, cap) : all;
  return { pagination, api, probeEnd, rows, suspect: tells && start <= list.length && rows.length < all.length, start };
}

test("for every behaviour of the API, all rows before the end come in order, and a total that is not reached makes the job suspect", async () => {
  let suspects = 0;
  await forSeeds(500, (_, seed) => {
    const { pagination, api, probeEnd, rows, suspect, start } = simulate(seed);
    const result = crawl(pagination, api, { probeEnd, params: { offset: start } });
    assert.equal(result.error, undefined, `seed ${seed}`);
    // An API that repeats its last page moves the window back, so rows may come twice but are never lost.
    const hasDuplicates = rows.length !== result.records.length;
    if (hasDuplicates)
      assert.deepEqual(
        [...new Set(result.records)].filter((row) => rows.includes(row)),
        rows,
        `seed ${seed}`,
      );
    else assert.deepEqual(result.records, rows, `seed ${seed}`);
    if (suspect) {
      suspects++;
      assert.equal(result.verdict?.kind, "suspect", `seed ${seed}`);
    }
  });
  assert.ok(suspects > 6, `only ${suspects} simulations lose rows while the API reports a total`);
});

test("a job with guesses requests the same positions as a job without", async () => {
  let guessed = 0;
  let wrong = 0;
  await forSeeds(300, (_, seed) => {
    const { pagination, api, probeEnd, start } = simulate(seed);
    const below = random(seed + 1);
    const stop =
      below(3) === 0
        ? { forceStop: { pages: 1 + below(4) } }
        : below(3) === 0
          ? { limitStop: { count: 1 + below(9) } }
          : {};
    const configured = { ...pagination, ...stop } as Pagination;
    const stepwise = crawl(configured, api, { probeEnd, params: { offset: start } });

    const parameters = [{ name: "offset", value: start }];
    const scroll = createScroll(configured, { probeEnd });
    const base = build({ method: "GET", endpoint: "items", params: parameters, headers: [] });
    const accepted: Position[] = [];
    let window: Position[] = [scroll.start(parameters, 1_000_000)];
    for (let page = 1; window.length > 0 && page < 100; page++) {
      while (window.length < 4) {
        const guess = scroll.ahead(window.at(-1) ?? null);
        if (guess === undefined) break;
        window.push(guess);
      }
      const position = window[0] ?? null;
      accepted.push(position);
      const request = scroll.request(base, position);
      const query = new URLSearchParams(
        request.query.map((item): [string, string] => [item.name, "value" in item ? String(item.value) : ""]),
      );
      const { next } = scroll.advance(
        position,
        summarize(scroll, api(query, request, page), request.url).summary,
        1_000_000,
      );
      const guess = window[1];
      if (next === undefined) break;
      const right = guess !== undefined && scroll.same(guess, next);
      if (guess !== undefined) guessed++;
      if (guess !== undefined && !right) wrong++;
      window = right ? [next, ...window.slice(2)] : [next];
    }
    assert.deepEqual(JSON.parse(JSON.stringify(accepted)), stepwise.positions, `seed ${seed}`);
  });
  assert.ok(guessed > 300 && wrong > 15, `${guessed} guesses, ${wrong} of them wrong`);
});

test("nothing is guessed beyond the user's limits, or if the response names the next page", () => {
  const pages = (pagination: Pagination, maxPages?: number): number => {
    const scroll = createScroll(pagination, { maxPages });
    let position: Position | undefined = scroll.start([], 0);
    let count = 0;
    while (position !== undefined && count < 20) {
      count++;
      position = scroll.ahead(position);
    }
    return count;
  };
  const two = { method: "offset", limit: 2 } as const;
  assert.equal(pages(two), 20);
  assert.equal(pages({ method: "pagenum" }), 20);
  assert.equal(pages(two, 3), 3);
  assert.equal(pages({ ...two, forceStop: { pages: 2 } }), 2);
  assert.equal(pages({ ...two, limitStop: { count: 5 } }), 3);
  assert.equal(pages({ method: "response.url" }), 1);
  assert.equal(pages({ method: "cursor", idKey: "id", param: "c" }), 1);
});

test("guesses continue by the page size or the page number, also after a first page without paging parameters", () => {
  const requests = (pagination: Pagination): string[] => {
    const scroll = createScroll(pagination);
    const base = build({ method: "GET", endpoint: "items", params: [], headers: [] });
    const positions = [scroll.start([], 0)];
    for (let count = 0; count < 2; count++) positions.push(scroll.ahead(positions.at(-1) ?? null) ?? null);
    const text = (position: Position) =>
      scroll.request(base, position).query.map((item) => `${item.name}=${"value" in item ? item.value : ""}`);
    return positions.map((position) => text(position).join("&"));
  };
  const bare = { firstPageParams: false } as const;
  assert.deepEqual(requests({ method: "offset", limit: 3 }), [
    "limit=3&offset=0",
    "limit=3&offset=3",
    "limit=3&offset=6",
  ]);
  assert.deepEqual(requests({ method: "offset", limit: 3, ...bare }), ["", "limit=3&offset=3", "limit=3&offset=6"]);
  assert.deepEqual(requests({ method: "pagenum", limit: 3 }), ["page=1&limit=3", "page=2&limit=3", "page=3&limit=3"]);
  assert.deepEqual(requests({ method: "pagenum", ...bare }), ["", "page=2", "page=3"]);
});

test("a guess equals the request after a full page, and differs from the one after a longer page", () => {
  for (const pagination of [{ method: "offset", limit: 3 } as const, { method: "pagenum", limit: 3 } as const]) {
    const scroll = createScroll(pagination);
    const first = scroll.start([], 0);
    const guess = scroll.ahead(first) ?? null;
    const full = summarize(scroll, "[1,2,3]", "http://api.test/").summary;
    assert.ok(scroll.same(guess, scroll.advance(first, full, 0).next ?? null));
    assert.ok(!scroll.same(guess, first));
  }
  const numbered = createScroll({ method: "pagenum", limit: 3 }, { probeEnd: true });
  const start = numbered.start([], 0);
  const short = summarize(numbered, "[1,2]", "http://api.test/").summary;
  assert.ok(numbered.same(numbered.ahead(start) ?? null, numbered.advance(start, short, 0).next ?? null), "a probe");
  const scroll = createScroll({ method: "offset", limit: 3 });
  const first = scroll.start([], 0);
  const long = summarize(scroll, "[1,2,3,4]", "http://api.test/").summary;
  assert.ok(!scroll.same(scroll.ahead(first) ?? null, scroll.advance(first, long, 0).next ?? null));
});
