import assert from "node:assert/strict";
import { test } from "node:test";
import { Gate, type PassOptions } from "../../../src/http/pacing/gate.ts";
import { type Rate, ratesOf, sharedRates } from "../../../src/http/pacing/rates.ts";

const { signal } = new AbortController();
const waiting = (): void => undefined;

/** Returns the times (ms) at which simultaneous requests to each of the origins may begin. */
async function startTimes(
  gate: Gate,
  count: number,
  origins: readonly string[] = ["https://a"],
  options: Omit<PassOptions, "signal"> = { waiting },
): Promise<number[][]> {
  const started = performance.now();
  return Promise.all(
    origins.map(async (origin) => {
      const times: number[] = [];
      const one = async (): Promise<void> => {
        await gate.pass(origin, { signal, ...options });
        times.push(performance.now() - started);
      };
      await Promise.all(Array.from({ length: count }, one));
      return times;
    }),
  );
}

/** Asserts that simultaneous requests waited for as many whole periods as the requests before them had filled. */
function assertHolds(times: readonly number[], requests: number, period: number): void {
  for (const [index, at] of times.entries()) {
    const least = Math.floor(index / requests) * period;
    assert.ok(at >= least - 1, `request ${index + 1} began after ${at} ms, ${least} are right: ${times}`);
  }
}

test("all listed rates apply, and bursts are possible within them", async () => {
  const gate = new Gate(ratesOf(["40/s", "9000/m"]));
  const [times = []] = await startTimes(gate, 100);
  assert.equal(times.length, 100);
  assertHolds(times, 40, 1000);
  let passed = 0;
  for (let count = 0; count < 40; count += 1) {
    void gate.pass("https://b", { signal, waiting })?.then(() => {
      passed += 1;
    });
  }
  // A request that waits needs a timer. Requests of a burst do not wait.
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(passed, 40);
});

test("rates of a short and a long period both apply", async () => {
  const gate = new Gate([
    { requests: 3, period: 50, even: false },
    { requests: 5, period: 200, even: false },
  ]);
  const [times = []] = await startTimes(gate, 14);
  assertHolds(times, 3, 50);
  assertHolds(times, 5, 200);
});

test("the requests of a single rate are spaced evenly, separately for each origin", async () => {
  const gate = new Gate(ratesOf(50));
  const [one = [], other = []] = await startTimes(gate, 6, ["https://a", "https://b"]);
  for (const times of [one, other]) {
    assert.equal(times.length, 6);
    assertHolds(times, 1, 20);
  }
});

/**
 * Measures three simultaneous requests, of which the last two are overdue when the program has time for them. Returns the time
 * from before the second to the third, and whether the last one had to wait.
 */
async function overdue(rate: Rate): Promise<{ readonly apart: number; readonly waited: boolean }> {
  const gate = new Gate([rate]);
  const [first, second, third] = Array.from({ length: 3 }, () => gate.pass("https://a", { signal, waiting }));
  await first;
  const started = performance.now();
  while (performance.now() < started + 3 * rate.period);
  // The time is measured before the second request begins: if the process has to wait here, the time would otherwise be too short.
  const began = performance.now();
  await second;
  let waited = false;
  const timer = setTimeout(() => {
    waited = true;
  }, rate.period / 2);
  await third;
  clearTimeout(timer);
  return { apart: performance.now() - began, waited };
}

test("each rate of a list counts from the actual beginning of a request", async () => {
  const { apart } = await overdue({ requests: 1, period: 60, even: false });
  assert.ok(apart >= 59, `${apart}`);
});

test("a single rate keeps its rhythm, so an overdue request is sent at once", async () => {
  const { waited } = await overdue({ requests: 1, period: 60, even: true });
  assert.equal(waited, false);
});

/** A request: the time at which it was made, and the time at which it could begin. */
interface Passed {
  readonly part: "slow" | "fast";
  readonly made: number;
  readonly start: number;
}

/** Asserts that each request begins at least a period after the request that is `requests` places before it was made. */
function assertSpaced(passed: readonly Passed[], requests: number, period: number): void {
  for (const [index, { start }] of passed.slice(requests).entries()) {
    const gap = start - (passed[index]?.made ?? 0);
    assert.ok(gap >= period - 1, `request ${requests + index + 1} began ${gap} ms after the one that counts`);
  }
}

test("the rates of one part of the run apply together with those of the gate, and do not delay other parts", async () => {
  const gate = new Gate(ratesOf(["100/s", "20/s"]));
  const slow = { key: "slow", rates: [{ requests: 5, period: 300, even: false }] };
  const passed: Passed[] = [];
  const pass = async (part: "slow" | "fast"): Promise<void> => {
    const made = performance.now();
    await gate.pass("https://a", { signal, waiting, part: part === "slow" ? slow : undefined });
    passed.push({ part, made, start: performance.now() });
  };
  // Twenty fit into the first second: five of the slow part and all others, although eight of the slow part came first.
  const parts = [...Array<"slow">(8).fill("slow"), ...Array<"fast">(15).fill("fast"), "slow"] as const;
  await Promise.all(parts.map(pass));
  assert.deepEqual(new Set(passed.slice(20).map(({ part }) => part)), new Set(["slow"]));
  assertSpaced(
    passed.filter(({ part }) => part === "slow"),
    5,
    300,
  );
  assertSpaced(passed, 20, 1000);
});

test("the first request of a part of the run is not delayed, and the part's rate is divided among processes", async () => {
  const part = { key: "slow", rates: ratesOf(1) };
  assert.equal(new Gate([], false).pass("https://a", { signal, waiting, part }), undefined);
  assert.deepEqual(sharedRates(ratesOf(["5/s", "60/m", "2/s"]), 4), [
    { requests: 1, period: 1000, even: false },
    { requests: 15, period: 60_000, even: false },
    { requests: 1, period: 2000, even: false },
  ]);
  assert.deepEqual(sharedRates(ratesOf(2), 4), [{ requests: 1, period: 2000, even: true }]);
});

test("a request that is aborted or not ready leaves its turn to the next one, and a request with precedence passes the waiting ones", async () => {
  const gate = new Gate([{ requests: 1, period: 100, even: false }]);
  const started = performance.now();
  const passed: string[] = [];
  const abort = new AbortController();
  const pass = async (name: string, options: Partial<PassOptions> = {}): Promise<void> => {
    const begins = await gate.pass("https://a", { signal, waiting, ...options });
    if (begins === true) passed.push(name);
  };
  const all = [
    pass("at once"),
    pass("not ready", { isReady: () => false }),
    assert.rejects(pass("aborted", { signal: abort.signal }), /stop/),
    pass("later"),
    pass("first", { isFirst: true }),
  ];
  abort.abort(new Error("stop"));
  await Promise.all(all);
  assert.deepEqual(passed, ["at once", "first", "later"]);
  const elapsed = performance.now() - started;
  assert.ok(elapsed >= 199, `${elapsed}`);
});

test("a shorter pause does not shorten a longer one", async () => {
  const gate = new Gate([]);
  const started = performance.now();
  gate.hold("https://a", 150);
  gate.hold("https://a", 10);
  await gate.pass("https://a", { signal, waiting });
  assert.ok(performance.now() - started >= 149);
});

test("a rate may be a number, a number with a unit, a fraction, a list or an object", () => {
  assert.deepEqual(ratesOf(undefined), []);
  assert.deepEqual(ratesOf(4), [{ requests: 1, period: 250, even: true }]);
  assert.deepEqual(ratesOf(["5/s", "300/m", "1000/h", "2"]), [
    { requests: 5, period: 1000, even: false },
    { requests: 300, period: 60_000, even: false },
    { requests: 1000, period: 3_600_000, even: false },
    { requests: 2, period: 1000, even: false },
  ]);
  assert.deepEqual(ratesOf(["2.5/s", "0.5/s"]), [
    { requests: 2, period: 800, even: false },
    { requests: 1, period: 2000, even: false },
  ]);
  assert.deepEqual(ratesOf({ rate: 2 }), [{ requests: 1, period: 500, even: true }]);
  assert.deepEqual(ratesOf({ rate: ["1/m"] }), [{ requests: 1, period: 60_000, even: false }]);
  assert.deepEqual(ratesOf({ headers: false }), []);
});

test("a pause delays waiting and new requests, and an abort ends the wait", async () => {
  const gate = new Gate([{ requests: 2, period: 50, even: false }]);
  const reasons: (string | undefined)[] = [];
  const noted: PassOptions = { signal, waiting: ({ reason }) => reasons.push(reason) };
  const first = startTimes(gate, 4, ["https://a"], noted);
  await Promise.all([gate.pass("https://b", { signal, waiting }), new Promise((resolve) => setImmediate(resolve))]);
  gate.hold("https://a", 150, "busy");
  const started = performance.now();
  await gate.pass("https://a", noted);
  assert.ok(performance.now() - started >= 149);
  assert.deepEqual(new Set(reasons), new Set(["busy"]));
  const [times = []] = await first;
  assert.equal(times.filter((at) => at < 149).length, 2, `${times}`);
  gate.hold("https://a", 60_000, "again");
  const abort = new AbortController();
  const aborted = gate.pass("https://a", { signal: abort.signal, waiting });
  abort.abort(new Error("stop"));
  await assert.rejects(aborted ?? Promise.resolve(), /^Error: stop$/);
});
