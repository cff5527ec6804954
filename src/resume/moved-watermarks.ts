import { Partitions, partitionsOf } from "../core/runs/partitions.ts";
import type { Moved, Watermark, Watermarks } from "../core/runs/watermark.ts";
import { WatermarkTexts } from "../core/runs/watermark-texts.ts";
import { parseValue, type Value, type ValueObject, valueText } from "../core/values/value.ts";

/** The moved watermarks of one child job. `values` has a value for each parent, by the text of the parent's context. */
interface MovedPartitions {
  readonly described: Watermark;
  readonly values: WatermarkTexts;
}

/** The latest watermarks of the increments that have moved. */
export class MovedWatermarks {
  readonly #jobs = new Map<string, Watermark>();
  readonly #partitioned = new Map<string, MovedPartitions>();

  take(moved: readonly Moved[]): void {
    for (const [key, watermark, context] of moved) {
      if (context === undefined) this.#jobs.set(key, watermark);
      else this.#takePartition(key, watermark, context);
    }
  }

  #takePartition(key: string, { value, ...described }: Watermark, context: string): void {
    const existing = this.#partitioned.get(key) ?? { described, values: new WatermarkTexts() };
    this.#partitioned.set(key, existing);
    existing.values.set(context, valueText(value ?? null));
  }

  /** Returns the watermarks of a state, updated by the moved ones. */
  over(watermarks: ValueObject): ValueObject {
    const jobs = Array.from(this.#jobs, ([key, { began: _, ...watermark }]) => [key, watermark] as const);
    return this.#withPartitions(watermarks, [...Object.entries(watermarks), ...jobs]);
  }

  /**
   * Returns the watermarks of a run's progress, updated by the moved ones. `isHeld`: true if the moves count only when the run has
   * ended; then those of child jobs are included.
   */
  during(watermarks: ValueObject, { isHeld }: { readonly isHeld: boolean }): ValueObject {
    const entries = [...Object.entries(watermarks), ...this.#jobs];
    return isHeld ? this.#withPartitions(watermarks, entries) : Object.fromEntries(entries);
  }

  #withPartitions(watermarks: ValueObject, entries: readonly (readonly [string, Value])[]): ValueObject {
    const all = new Map(entries);
    for (const [key, { described, values }] of this.#partitioned) {
      // The watermark of a parent that no longer exists stays.
      const before = partitionsOf((watermarks[key] ?? {}) as Watermark);
      all.set(key, { ...described, partitions: new Partitions(before, values) });
    }
    return Object.fromEntries(all);
  }
}

/** Returns the moves that result in these watermarks. */
export function movesTo(watermarks: Watermarks): readonly Moved[] {
  return Object.entries(watermarks).flatMap(([key, { partitions: list, ...watermark }]): readonly Moved[] => {
    const partitions = list === undefined ? undefined : partitionsOf({ partitions: list });
    return partitions === undefined
      ? [[key, watermark]]
      : Array.from(partitions, ([context, value]) => [key, { ...watermark, value: parseValue(value) }, context]);
  });
}
