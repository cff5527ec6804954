import type { Value } from "./value.ts";

/** How far an increment has come: what a state keeps of it, by its key. Plain JSON. */
export type Watermark = {
  /** Where its value is read: a path in the records, or a source in the job's last response. */
  readonly path?: string;
  readonly response?: Value;
  readonly value: Value;
};

/** By the key of the increment: its dataset, with iterations its dataset and the iteration's settings. */
export type Watermarks = { readonly [key: string]: Watermark };
