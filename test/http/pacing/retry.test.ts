import assert from "node:assert/strict";
import { test } from "node:test";
import { backoff, jittered, retryAfter, wait } from "../../../src/http/pacing/retry.ts";

const now = Date.UTC(2026, 0, 1, 12, 0, 0);

const rows: readonly [header: string | undefined, ms: number | undefined][] = [
  ["3", 3000],
  [" 3 ", 3000],
  ["1.5", 1500],
  ["0", undefined],
  ["0.0", undefined],
  ["-3", undefined],
  ["", undefined],
  [undefined, undefined],
  ["abc", undefined],
  ["120junk", undefined],
  ["nan", undefined],
  ["Infinity", undefined],
  ["1e3", undefined],
  ["0x10", undefined],
  ["3, 4", undefined],
  ["1000000000", 1e12],
  ["99999999999", 99999999999000 - now],
  [String(now + 7000), 7000],
  [String(now - 7000), undefined],
  ["2026-01-01T12:00:09Z", 9000],
  ["2026-01-01T12:00:09.5Z", 9500],
  ["2026-01-01 12:00:09", 9000],
  ["2026-01-01T13:00+0030", 1_800_000],
  ["2026-01-02", 43_200_000],
  ["2026-01-01T11:59:59Z", undefined],
  ["2026-13-01", undefined],
  [String(now / 1000 + 7), 7000],
  [String(now / 1000 - 7), undefined],
  ["Thu, 01 Jan 2026 12:00:09 GMT", 9000],
  ["Mon, 01 Jan 2026 12:00:09 GMT", 9000],
  ["Thursday, 01-Jan-26 12:00:09 GMT", 9000],
  ["Thu Jan  1 12:00:09 2026", 9000],
  ["Thu, 01 Jan 2026 11:59:59 GMT", undefined],
  ["2026", 2026000],
  ["Thu, 99 Jan 2026 12:00:09 GMT", undefined],
];

for (const [header, ms] of rows) {
  test(`Retry-After ${JSON.stringify(header)} means ${ms === undefined ? "no wait of its own" : `a wait of ${ms} ms`}`, () => {
    assert.equal(retryAfter(header, now), ms);
  });
}

test("the back-off doubles from 1 s to 512 s", () => {
  const waits = Array.from({ length: 12 }, (_, index) => backoff(index + 1) / 1000);
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 512, 512]);
});

test("jitter adds up to 10 %", () => {
  assert.equal(jittered(1000, 0), 1000);
  assert.equal(jittered(1000, 0.5), 1050);
  assert.equal(jittered(1000, 0.999_999), 1100);
});

test("an abort ends any wait at once, even one longer than a timer allows", async () => {
  const abort = new AbortController();
  const reason = new Error("stop");
  setImmediate(() => abort.abort(reason));
  await assert.rejects(wait(2 ** 40, abort.signal), reason);
  await assert.rejects(wait(1, abort.signal), reason);
});
