import { isObject, type Value, type ValueObject } from "../core/value.ts";
import type { Moved } from "../core/watermark.ts";
import type { Progress } from "./progress.ts";

/** What a run adds to its state at a time. Plain JSON. */
export type LogEntry = {
  /** What replaces the same members of the state's progress. */
  readonly progress: Pick<Progress, "clock" | "checkpoint" | "failed" | "lengths" | "anew">;
  /** Results of jobs that have ended since the entry before. */
  readonly results: readonly Value[];
  /** How far increments have come since, by their keys. */
  readonly moved: readonly Moved[];
  /** Do increments stay where they are until the run has ended, since its lines stand in unfinished files? */
  readonly held: boolean;
};

/** Returns a document with what the entries of its log add to it. */
export function afterEntries(document: ValueObject, entries: readonly LogEntry[]): ValueObject {
  if (entries.length === 0) return document;
  const before = isObject(document.progress) ? document.progress : {};
  let progress: ValueObject = before;
  const results = Array.isArray(before.results) ? [...(before.results as readonly Value[])] : [];
  const watermarks = new Map(Object.entries(isObject(before.watermarks) ? before.watermarks : {}));
  const incremental = new Map(Object.entries(isObject(document.incremental) ? document.incremental : {}));
  for (const entry of entries) {
    const { anew: _, ...others } = progress;
    progress = { ...others, ...entry.progress };
    results.push(...entry.results);
    for (const [key, watermark] of entry.moved) {
      watermarks.set(key, watermark);
      if (!entry.held) incremental.set(key, watermark);
    }
  }
  return {
    ...document,
    ...(incremental.size === 0 ? {} : { incremental: Object.fromEntries(incremental) }),
    progress: { ...progress, results, watermarks: Object.fromEntries(watermarks) },
  };
}
