import assert from "node:assert/strict";
import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createCollector } from "../../src/cli/young-buffers.ts";

const mebibyte = 1024 * 1024;

test("young objects are collected when four mebibytes have been read, no sooner and once", async () => {
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
  // A third one, if there were one, would be told before these.
  while (entries.length < 2) await turn();
  observer.disconnect();
  assert.equal(entries.length, 2);
  const [first, second] = entries.map(({ startTime }) => startTime);
  assert.ok(first !== undefined && first >= before && first <= between, `${first} is not from ${before} to ${between}`);
  assert.ok(second !== undefined && second >= between, `${second} is before ${between}`);
});

/** Not what V8 collects by itself now and then. */
function isAsked(entry: PerformanceEntry): boolean {
  const { kind, flags } = (entry as unknown as { readonly detail: Record<"kind" | "flags", number> }).detail;
  return kind === constants.NODE_PERFORMANCE_GC_MINOR && (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
}
