import { isPartitionMark, type PartitionMark } from "./partitions.ts";
import { isObject, type Value } from "./value.ts";

/** How far an increment has come: what a state keeps of it, by its key. Plain JSON. */
export type Watermark = {
  /** Where its value is read: a path in the records, or a source in the job's last response. */
  readonly path?: string;
  readonly response?: Value;
  readonly value?: Value;
  /** In place of `value`, of a child job: how far it has come for each parent. */
  readonly partitions?: readonly PartitionMark[];
};

/** By the key of the increment: its dataset, with iterations its dataset and the iteration's settings. */
export type Watermarks = { readonly [key: string]: Watermark };

/** An increment that moves: its key, how far it has come and, of a child job, the text of the parent's context. */
export type Moved = readonly [key: string, watermark: Watermark, context?: string];

/** Reports whether a state's value holds watermarks by their keys. */
export function isWatermarks(value: Value | undefined): value is Watermarks {
  return isObject(value) && Object.values(value).every(isWatermark);
}

function isWatermark(one: Value): boolean {
  if (!isObject(one) || typeof (one.path ?? "") !== "string") return false;
  const { value, partitions } = one;
  if (partitions !== undefined) return Array.isArray(partitions) && partitions.every(isPartitionMark);
  return value !== undefined && value !== null;
}
