import type { Value } from "../core/values/value.ts";

/** Progress of an increment according to a page's records. */
export interface PageWatermark {
  /** The greatest value, in its kept form. Undefined: there is none. */
  readonly value: Value | undefined;
  /** Number of records without a value. */
  readonly missing: number;
  /** All values are there, each at least the one before it, and the last is greater than the first. */
  readonly ascending: boolean;
  /** Number of records below the increment's start that are left out. */
  readonly filtered: number;
  /** All records of the page are left out, and there is at least one. */
  readonly isPast: boolean;
  /** First and greatest value of all records, those that are left out too. */
  readonly first: Value | undefined;
  readonly greatest: Value | undefined;
}

/** The watermark of a page without records, or of a job without an increment. */
export const noWatermark: PageWatermark = {
  value: undefined,
  missing: 0,
  ascending: false,
  filtered: 0,
  isPast: false,
  first: undefined,
  greatest: undefined,
};
