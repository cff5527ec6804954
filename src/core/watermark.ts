import { isObject, type Value } from "./value.ts";

/** How far an increment has come: what a state keeps of it, by its key. Plain JSON. */
export type Watermark = {
  /** Where its value is read: a path in the records, or a source in the job's last response. */
  readonly path?: string;
  readonly response?: Value;
  readonly value: Value;
};

/** By the key of the increment: its dataset, with iterations its dataset and the iteration's settings. */
export type Watermarks = { readonly [key: string]: Watermark };

/** An increment that moves: its key, and how far it has come. */
export type Moved = readonly [key: string, watermark: Watermark];

/** Reports whether a state's value holds watermarks by their keys. */
export function isWatermarks(value: Value | undefined): value is Watermarks {
  if (!isObject(value)) return false;
  return Object.values(value).every(
    (one) => isObject(one) && one.value !== undefined && one.value !== null && typeof (one.path ?? "") === "string",
  );
}
