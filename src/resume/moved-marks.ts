import { contextText, type PartitionMark } from "../core/partitions.ts";
import { parseValue, type Value, type ValueObject } from "../core/value.ts";
import type { Moved, Watermark, Watermarks } from "../core/watermark.ts";

/** Marks of one child job that have moved, by the texts of their parents' contexts. */
interface MovedPartitions {
  readonly described: Watermark;
  readonly values: Map<string, Value>;
}

/** Increments that have moved, the last of each. */
export class MovedMarks {
  readonly #jobs = new Map<string, Watermark>();
  readonly #partitioned = new Map<string, MovedPartitions>();

  take(moved: readonly Moved[]): void {
    for (const [key, watermark, context] of moved) {
      if (context === undefined) this.#jobs.set(key, watermark);
      else this.#takePartition(key, watermark, context);
    }
  }

  #takePartition(key: string, { value, ...described }: Watermark, context: string): void {
    const known = this.#partitioned.get(key) ?? { described, values: new Map<string, Value>() };
    this.#partitioned.set(key, known);
    known.values.set(context, value ?? null);
  }

  /** Returns watermarks with these in place of those that they had. `jobs`: without those of children. */
  over(watermarks: ValueObject, only?: "jobs"): ValueObject {
    const all = new Map<string, Value>([...Object.entries(watermarks), ...this.#jobs]);
    if (only === undefined) {
      for (const [key, moved] of this.#partitioned) all.set(key, partitionsOver(watermarks[key] ?? null, moved));
    }
    return Object.fromEntries(all);
  }
}

/** A parent that is gone keeps its mark; new ones stand behind those that are known. */
function partitionsOver(before: Value, { described, values }: MovedPartitions): Value {
  const left = new Map(values);
  const known = ((before as Watermark | null)?.partitions ?? []).map((partition): PartitionMark => {
    const text = contextText(partition.context);
    const value = left.get(text);
    if (value === undefined) return partition;
    left.delete(text);
    return { context: partition.context, value };
  });
  const added = [...left].map(([text, value]): PartitionMark => ({ context: parseValue(text) as ValueObject, value }));
  return { ...described, partitions: [...known, ...added] } as unknown as Value;
}

/** Returns the moves that lead to these watermarks. */
export function movesTo(watermarks: Watermarks): readonly Moved[] {
  return Object.entries(watermarks).flatMap(([key, { partitions, ...watermark }]): readonly Moved[] =>
    partitions === undefined
      ? [[key, watermark]]
      : partitions.map(({ context, value }) => [key, { ...watermark, value }, contextText(context)]),
  );
}
