import assert from "node:assert/strict";
import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { createCollector } from "../../src/cli/young-buffers.ts";

const mebibyte = 1024 * 1024;

test("young objects are collected each time that at least four more mebibytes were read", async () => {
  const entries: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => entries.push(...list.getEntries().filter(isAsked)));
  observer.observe({ entryTypes: ["gc"] });
  const received = createCollector();
  received(3 * mebibyte);
  received(mebibyte - 1);
  const before = performance.now();
  received(1);
  received(mebibyte);
  const between = performance.now();
  received(9 * mebibyte);
  // Collections are reported together, so a third one would be among the entries, too.
  while (entries.length < 2) await turn();
  observer.disconnect();
  assert.equal(entries.length, 2);
  const [first, second] = entries.map(({ startTime }) => startTime);
  assert.ok(first !== undefined && first >= before && first <= between, `${first} is not from ${before} to ${between}`);
  assert.ok(second !== undefined && second >= between, `${second} is before ${between}`);
});

test("the first body triggers the collection of garbage from reading the configuration", async () => {
  const entries: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => entries.push(...list.getEntries().filter(isWhole)));
  observer.observe({ entryTypes: ["gc"] });
  let left: object[] = Array.from({ length: 1_000_000 }, (_, number) => ({ number }));
  const before = getHeapStatistics().used_heap_size;
  assert.ok(left.length > 0 && before > 32 * mebibyte);
  left = [];
  const received = createCollector();
  received(1);
  assert.ok(getHeapStatistics().used_heap_size < before - 16 * mebibyte);
  received(1);
  for (let turns = 0; entries.length === 0 && turns < 1000; turns += 1) await turn();
  observer.disconnect();
  assert.equal(entries.length, 1);
});

test("a thousand small bodies trigger the collection of garbage if the heap has grown by half", () => {
  const received = createCollector();
  received(1);
  let left: object[] = Array.from({ length: 1_500_000 }, (_, number) => ({ number }));
  for (let body = 2; body < 1024; body += 1) received(1);
  const before = getHeapStatistics().used_heap_size;
  assert.ok(left.length > 0 && before > 48 * mebibyte);
  left = [];
  received(1);
  assert.ok(getHeapStatistics().used_heap_size < before - 16 * mebibyte);
});

/** Ignores collections that V8 makes by itself now and then. */
const isAsked = isForced(constants.NODE_PERFORMANCE_GC_MINOR);
const isWhole = isForced(constants.NODE_PERFORMANCE_GC_MAJOR);

function isForced(wanted: number): (entry: PerformanceEntry) => boolean {
  return (entry) => {
    const { kind, flags } = (entry as unknown as { readonly detail: Record<"kind" | "flags", number> }).detail;
    return kind === wanted && (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
  };
}
