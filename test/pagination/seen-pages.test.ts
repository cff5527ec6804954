import assert from "node:assert/strict";
import { test } from "node:test";
import type { PageSummary } from "../../src/core/runs/page.ts";
import { RecordSampler } from "../../src/extract/record-sampler.ts";
import { SeenPages } from "../../src/pagination/index.ts";

/** Returns the first repetition among pages with these ids, and the number of its page. One field differs in each page. */
function firstRepetition(idsOf: (page: number) => readonly number[], most: number, hasFirst = true) {
  const seen = new SeenPages(hasFirst);
  for (let page = 1; page <= most; page += 1) {
    const ids = idsOf(page);
    const sampler = new RecordSampler();
    for (const id of ids) sampler.take(Buffer.from(`{"id":${id},"age":${page * 10 + id}}\n`), 1);
    const summary = { records: ids.length, sample: sampler.sample(0) } as PageSummary;
    const repetition = seen.compareAndAdd(summary);
    if (repetition !== undefined) return { page, of: repetition.of };
  }
  return undefined;
}

const loop = (page: number) => (page % 2 === 1 ? [1, 2] : [3, 4]);

test("one return to the first page is a repetition, but one return to the page at which a job was resumed is not", () => {
  assert.deepEqual(firstRepetition(loop, 100), { page: 3, of: "first" });
  assert.deepEqual(firstRepetition(loop, 100_000, false), { page: 52_768, of: "earlier" });
});

test("a loop that does not contain the first page is noticed, even if every other page is empty", () => {
  assert.deepEqual(
    firstRepetition((page) => (page === 1 ? [8, 9] : loop(page)), 100_000),
    { page: 52_768, of: "earlier" },
  );
  const withEmpty = firstRepetition((page) => (page === 1 ? [8, 9] : page % 2 === 1 ? [1, 2] : []), 100_000);
  assert.equal(withEmpty?.of, "earlier");
});

test("records that come again thousands of times are not a loop", () => {
  assert.equal(
    firstRepetition((page) => (page === 1 ? [8, 9] : [page % 7, 7]), 60_000),
    undefined,
  );
});
