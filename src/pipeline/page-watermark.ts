import type { Value } from "../core/values/value.ts";

/** The values of an increment in the records of one page. */
export interface PageWatermark {
  /** The greatest value of the records that are written, in its stored form; undefined if there is none. */
  readonly value: Value | undefined;
  /** Number of written records without a value. */
  readonly missing: number;
  /** True if every record has a value, no value is less than the one before it, and the last is greater than the first. */
  readonly ascending: boolean;
  /** Number of records below the increment's start that are left out. */
  readonly filtered: number;
  /** True if the page has records and all of them are left out. */
  readonly isPast: boolean;
  /** First and greatest value of all records, including those that are left out. */
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
