import { PartitionTable, partitionsOf } from "../../core/runs/partitions.ts";
import type { JobResult } from "../../core/runs/run.ts";
import type { Moved, Watermark, Watermarks } from "../../core/runs/watermark.ts";
import { incrementTypes } from "../../core/values/increment-types.ts";
import { parseValue, type Value, valueText } from "../../core/values/value.ts";
import { furthestValue } from "../../pipeline/source/increment-progress.ts";
import type { MovedParent, Piece } from "../manifest/manifest.ts";
import type { UnitIncrement, UnitPlace } from "../plan/plan-document.ts";

/** The new value of a complete job's increment. */
export interface MovedIncrement {
  readonly increment: UnitIncrement;
  readonly value: Value;
}

/** Computes the increment of a job while its parts are joined. For a job without an increment, it does nothing. */
export class MergedIncrement {
  readonly #increment: UnitIncrement | undefined;
  #value: Value = null;

  constructor(increment: UnitIncrement | undefined) {
    this.#increment = increment;
  }

  /** Adds a written page of the job. Pages must come in the order of a single run. */
  add({ increment: text }: Piece): void {
    if (this.#increment === undefined) return;
    this.#value = furthest(this.#increment, this.#value, text === undefined ? null : parseValue(text));
  }

  /** Returns the moved increment; undefined unless the job and those below it are all complete, according to their `results`. */
  movedIncrement(results: readonly JobResult[]): MovedIncrement | undefined {
    const isWhole = results.every(({ verdict }) => verdict === "complete");
    if (this.#increment === undefined || this.#value === null || !isWhole) return undefined;
    const { type, end = null } = this.#increment;
    const value = end === null ? this.#value : incrementTypes[type].upTo(this.#value, end);
    return { increment: this.#increment, value };
  }
}

/**
 * Returns the watermarks to store in a state. They never move back, not even below a value that another run saved after the plan
 * was made. Values from responses cannot be compared, so such a value of another run is kept.
 */
export function watermarksAfter(state: Watermarks, moved: readonly MovedIncrement[]): Watermarks {
  const after: Record<string, Watermark> = {};
  for (const { increment, value } of moved) {
    const { key, described, before = null } = increment;
    const storedValue = Object.hasOwn(state, key) ? (state[key]?.value ?? null) : null;
    const isFromOtherRun = valueText(storedValue) !== valueText(before);
    if (described.path !== undefined || !isFromOtherRun)
      after[key] = { ...described, value: furthest(increment, storedValue, value) };
  }
  return after;
}

function furthest({ described, type }: UnitIncrement, current: Value, value: Value): Value {
  return furthestValue({ described, type: incrementTypes[type] }, current, value);
}

/**
 * Returns the moves of parents' increments to store in a state. They never go back, not even below a value that another run
 * saved after the plan was made.
 */
export function movesAfter(
  state: Watermarks,
  units: readonly Pick<UnitPlace, "partitioned">[],
  moved: readonly MovedParent[],
): readonly Moved[] {
  const increments = new Map(units.flatMap(({ partitioned = [] }) => partitioned).map((one) => [one.key, one]));
  const tables = new Map<string, PartitionTable>();
  return moved.flatMap(([key, context, text]): readonly Moved[] => {
    const increment = increments.get(key);
    if (increment === undefined) return [];
    const table =
      tables.get(key) ?? new PartitionTable(partitionsOf((Object.hasOwn(state, key) ? state[key] : undefined) ?? {}));
    tables.set(key, table);
    const value = parseValue(text);
    const stays = (there: Value): boolean => valueText(furthest(increment, there, value)) === valueText(there);
    return table.move(context, value, stays) ? [[key, { ...increment.described, value }, context]] : [];
  });
}
