import type { Moved } from "../core/runs/watermark.ts";
import { isObject, type Value, type ValueObject } from "../core/values/value.ts";
import { MovedWatermarks } from "./moved-watermarks.ts";
import type { Progress } from "./progress.ts";

/** The members of a run's progress that each checkpoint replaces. */
export type ProgressPlace = Pick<Progress, "clock" | "checkpoint" | "failed" | "lengths" | "anew" | "begun">;

/** An entry of the log that a run adds to its state file. Plain JSON. */
export type LogEntry = {
  /**
   * Replaces the same members of the state's progress. Absent in an entry between two checkpoints, when only increments of
   * partitions have moved.
   */
  readonly progress?: ProgressPlace;
  /** Results of jobs that have ended since the previous entry. */
  readonly results: readonly Value[];
  /** Increments that have moved since the previous entry, by their keys. */
  readonly moved: readonly Moved[];
  /** True if the moves do not count before the run has ended, since its lines are in unfinished files. */
  readonly held: boolean;
};

/** Returns a document after adding the entries of its log. */
export function afterEntries(document: ValueObject, entries: readonly LogEntry[]): ValueObject {
  if (entries.length === 0) return document;
  const before = isObject(document.progress) ? document.progress : {};
  let progress: ValueObject = before;
  const results = Array.isArray(before.results) ? [...(before.results as readonly Value[])] : [];
  const allMoves = new MovedWatermarks();
  const unheldMoves = new MovedWatermarks();
  for (const entry of entries) {
    const { anew: _, begun: __, ...others } = progress;
    if (entry.progress !== undefined) progress = { ...others, ...entry.progress };
    results.push(...entry.results);
    allMoves.take(entry.moved);
    if (!entry.held) unheldMoves.take(entry.moved);
  }
  const isHeld = entries.some(({ held }) => held);
  const watermarks = allMoves.during(objectOf(before.watermarks), { isHeld });
  const incremental = unheldMoves.over(objectOf(document.incremental));
  return {
    ...document,
    ...(Object.keys(incremental).length === 0 ? {} : { incremental }),
    progress: { ...progress, results, watermarks },
  };
}

function objectOf(value: Value | undefined): ValueObject {
  return isObject(value) ? value : {};
}
