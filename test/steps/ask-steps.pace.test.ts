import assert from "node:assert/strict";
import { test } from "node:test";
import { paceOf } from "../../src/steps/ask-steps.ts";

function waits(pace: ReturnType<typeof paceOf>, count: number, asked?: number): (number | undefined)[] {
  return Array.from({ length: count }, () => pace.next(asked));
}

test("waits grow by half up to a minute; a longer first wait, and a longer wait that the API requests, are kept", () => {
  const hours = 10 * 3_600_000;
  assert.deepEqual(
    waits(paceOf({ every: 5000, timeout: hours }), 9),
    [5000, 7500, 11_250, 16_875, 25_312.5, 37_968.75, 56_953.125, 60_000, 60_000],
  );
  assert.deepEqual(waits(paceOf({ every: 300_000, timeout: hours }), 3), [300_000, 300_000, 300_000]);
  assert.deepEqual(waits(paceOf({ every: 5000, timeout: hours }), 3, 7000), [7000, 7500, 11_250]);
});

test("the last wait ends at the time limit, which includes the requests", () => {
  const pace = paceOf({ every: 10_000, timeout: 40_000 });
  pace.spend(1000);
  assert.deepEqual(waits(pace, 4), [10_000, 15_000, 14_000, undefined]);
  assert.equal(pace.count, 3);
  assert.deepEqual(waits(paceOf({ every: 10_000, timeout: 0 }), 1), [undefined]);
});
