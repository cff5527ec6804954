import type { Value } from "../core/value.ts";

/** What a page's records tell of how far an increment has come. */
export interface PageWatermark {
  /** The greatest value, as it is kept; undefined where there is none. */
  readonly value: Value | undefined;
  /** Records without one. */
  readonly missing: number;
  /** Are all values there, each at least the one before it, and the last greater than the first? */
  readonly ascending: boolean;
  /** Number of records below the increment's start that are left out. */
  readonly filtered: number;
  /** Are all records of the page left out, and is there at least one? */
  readonly isPast: boolean;
  /** First and greatest value of all records, those that are left out too. */
  readonly first: Value | undefined;
  readonly greatest: Value | undefined;
}

/** That of a page without records, or of a job without an increment. */
export const noWatermark: PageWatermark = {
  value: undefined,
  missing: 0,
  ascending: false,
  filtered: 0,
  isPast: false,
  first: undefined,
  greatest: undefined,
};
