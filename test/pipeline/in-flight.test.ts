import assert from "node:assert/strict";
import { test } from "node:test";
import { AdaptiveInFlight, fixedInFlight, maxInFlight } from "../../src/pipeline/in-flight.ts";
import { forSeeds } from "../helpers/seeds.ts";
import { simulate, simulatedApis } from "./simulated-api.ts";

/** Simulates a round: as many answers as are in flight, each after `latency`, while more pages were wanted. */
function round(inFlight: AdaptiveInFlight, began: number, latency: number): void {
  const { size } = inFlight;
  inFlight.allows(size);
  for (let answer = 0; answer < size; answer += 1) inFlight.answered(began, began + latency);
}

/** Returns a number in flight that has grown to 16 in four rounds of 50 ms, the last of which ends at 200. */
function grown(): AdaptiveInFlight {
  const inFlight = new AdaptiveInFlight();
  for (let rounds = 0; rounds < 4; rounds += 1) round(inFlight, rounds * 50, 50);
  assert.equal(inFlight.size, 16);
  return inFlight;
}

test("a fixed number of pages in flight stays the same", () => {
  const inFlight = fixedInFlight(3);
  assert.deepEqual([inFlight.allows(2), inFlight.allows(3), inFlight.guesses(2, 0)], [true, false, true]);
});

test("the number of pages in flight begins with one, doubles each round up to the maximum, and then stays", () => {
  const inFlight = new AdaptiveInFlight();
  const sizes = Array.from({ length: 8 }, (_, rounds) => {
    const { size } = inFlight;
    round(inFlight, rounds * 50, 50);
    return size;
  });
  assert.deepEqual(sizes, [1, 2, 4, 8, 16, 32, 64, 64]);
  assert.equal(inFlight.size, maxInFlight);
});

test("the number of pages in flight does not grow if it is never the bottleneck", () => {
  const inFlight = new AdaptiveInFlight();
  for (let answers = 0; answers < 20; answers += 1) inFlight.answered(answers * 50, answers * 50 + 50);
  assert.equal(inFlight.size, 1);
});

test("the number of pages in flight halves if answers take twice the shortest time, then grows by one a round", () => {
  const inFlight = grown();
  round(inFlight, 200, 120);
  assert.equal(inFlight.size, 8);
  round(inFlight, 320, 60);
  assert.equal(inFlight.size, 9);
  round(inFlight, 380, 60);
  assert.equal(inFlight.size, 10);
});

test("one slow answer in a round does not reduce the number of pages in flight", () => {
  const inFlight = grown();
  inFlight.answered(200, 900);
  round(inFlight, 200, 50);
  assert.ok(inFlight.size > 16);
});

test("refusals of one overload halve the number of pages in flight once, and set one quota", () => {
  const inFlight = grown();
  inFlight.refused(200, 210, 1000);
  inFlight.refused(201, 211, 1000);
  assert.equal(inFlight.size, 8);
  // The wait and 5 % more, divided by the 15 answers that came before the refusal.
  assert.equal(inFlight.quota?.interval, 1050 / 15);
  inFlight.answered(202, 250);
  assert.equal(inFlight.quota.interval, 1050 / 16, "an answer to an earlier request counts, too");
});

test("a refusal during the wait after another refusal belongs to the same overload", () => {
  const inFlight = grown();
  inFlight.refused(200, 210, 1000);
  inFlight.refused(210, 212, 1000);
  inFlight.refused(1209, 1210, 1000);
  // The wait is over at 1210: fifteen requests begin at once, as after one refusal.
  for (let requests = 0; requests < 15; requests += 1) inFlight.sent(1210);
  assert.deepEqual([inFlight.size, inFlight.delay(1210)], [8, 1050]);
});

test("a long wait sets no quota", () => {
  const inFlight = grown();
  inFlight.refused(200, 210, 60_000);
  assert.deepEqual([inFlight.size, inFlight.quota], [8, undefined]);
});

test("a limit that the API reports as used up halves the number of pages in flight, but sets no quota", () => {
  const inFlight = grown();
  inFlight.usedUp(200, 210);
  inFlight.usedUp(205, 211);
  assert.deepEqual([inFlight.size, inFlight.quota], [8, undefined]);
});

test("at least one request may always be in flight, and never more than the maximum", async () => {
  await forSeeds(100, (random, seed) => {
    const inFlight = new AdaptiveInFlight();
    let now = 0;
    for (let events = 0; events < 300; events += 1) {
      now += random.below(100);
      const began = now - random.below(200);
      inFlight.allows(random.below(70));
      if (random.oneIn(8)) inFlight.refused(began, now, random.oneIn(2) ? undefined : random.below(20_000));
      else if (random.oneIn(20)) inFlight.usedUp(began, now);
      else inFlight.answered(began, now);
      assert.ok(inFlight.allows(0), `seed ${seed}`);
      assert.ok(!inFlight.allows(maxInFlight), `seed ${seed}`);
      inFlight.sent(now);
      assert.ok(inFlight.delay(now) >= 0, `seed ${seed}`);
      const interval = inFlight.quota?.interval ?? 1;
      assert.ok(interval > 0 && interval <= 5000, `seed ${seed}: ${interval}`);
    }
  });
});

/** APIs that are simulated with 1 ms of work for each request, too, so that some requests are sent while another is refused. */
const staggered = [
  "accepts ten in each second",
  "accepts ten in any period of a second",
  "accepts one in 100 ms, and five ahead",
  "accepts bursts of 20",
];

for (const [name, api] of Object.entries(simulatedApis)) {
  for (const work of staggered.includes(name) ? [0, 1] : [0])
    for (const pages of [100, 2000]) {
      test(`${pages} pages (${work} ms of work each) of an API that ${name} take at most 1.11 times as long as with the best fixed number`, () => {
        const fixed = [1, 2, 4, 8, 16].map((concurrency) => simulate(api(), concurrency, pages, work).ms);
        const { ms, refused, requests } = simulate(api(), new AdaptiveInFlight(), pages, work);
        assert.equal(requests, pages + refused);
        assert.ok(Math.min(...fixed) / ms >= 0.9, `${Math.round(ms)} ms; fixed: ${fixed.map(Math.round).join(", ")}`);
        // Some requests are in flight when the first one is refused.
        assert.ok(refused <= Math.max(16, pages / 50), `${refused} of ${requests} refused`);
      });
    }
}
