import assert from "node:assert/strict";
import { test } from "node:test";
import { Quota } from "../../src/pipeline/quota.ts";

/** Returns a quota after 10 requests that were accepted in 200 ms, until one was refused for a second. */
function ofTen(): Quota {
  return new Quota(10, 200, 1000);
}

/** Returns the moments at which this number of requests begin, from `now` on. */
function moments(quota: Quota, count: number, now: number): number[] {
  return Array.from({ length: count }, () => {
    now += quota.delay(now);
    quota.sent(now);
    return now;
  });
}

function answer(quota: Quota, sent: readonly number[]): void {
  for (const now of sent) quota.answered(now);
}

test("as many requests as were accepted are sent at once, and the next ones after a little more than the wait", () => {
  const ten = Array<number>(10).fill(1200);
  assert.deepEqual(moments(ofTen(), 21, 1200), [...ten, ...ten.map((now) => now + 1050), 3300]);
});

test("if the first refusal came late or named no wait, requests are spaced evenly from the beginning", () => {
  assert.deepEqual(moments(new Quota(20, 2000, 1000), 3, 3000), [3000, 3105, 3210]);
  assert.deepEqual(moments(new Quota(10, 200, undefined), 3, 300), [300, 340, 380]);
});

test("after 120 answers, a shorter interval is tried, and a refusal brings back the previous one", () => {
  const quota = ofTen();
  answer(quota, moments(quota, 120, 1200));
  assert.equal(quota.interval, 84);
  const [first = 0, second = 0] = moments(quota, 2, 20_000);
  assert.equal(second - first, 84);
  quota.refused(1000);
  assert.equal(quota.interval, 105);
  assert.deepEqual(moments(quota, 2, 30_000), [30_000, 30_105]);
});

test("if most requests that were sent at once were answered, the quota is their number", () => {
  const quota = ofTen();
  answer(quota, moments(quota, 8, 1200));
  quota.refused(1000);
  quota.answeredLate();
  assert.deepEqual(moments(quota, 10, 3000), [...Array<number>(9).fill(3000), 4000]);
});

test("if few requests that were sent at once were answered, the quota is spread evenly, and then slows down", () => {
  const quota = ofTen();
  answer(quota, moments(quota, 2, 1200));
  quota.refused(1000);
  assert.deepEqual(moments(quota, 2, 3000), [3000, 3105]);
  quota.refused(1000);
  assert.equal(quota.interval, 105 * 1.25);
});

test("after any number of refusals, one request in each reported wait is still sent", () => {
  const quota = ofTen();
  for (let refusals = 0; refusals < 100; refusals += 1) quota.refused(1000);
  assert.equal(quota.interval, 1000);
});
