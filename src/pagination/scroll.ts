import type { SpileError } from "../core/errors.ts";
import type { OwnParameter, Request } from "../core/requests/request.ts";
import type { PageSummary, Verdict } from "../core/runs/page.ts";
import type { Path } from "../core/values/path.ts";
import type { Value } from "../core/values/value.ts";
import type { SeenPages } from "./seen-pages.ts";

/** The position of a job: a plain JSON value, which is also stored for resuming. Only pagination knows its shape. */
export type Position = Value;

/** The decision after a page. */
export interface Advance {
  /** The next page. Undefined: the job has ended, and `verdict` says how. */
  readonly next: Position | undefined;
  readonly verdict: Verdict | undefined;
  /** The page only repeats the one before it: its records must not be written. */
  readonly repeated: boolean;
  /** For people, each once for a job; the caller adds job and page. */
  readonly warnings: readonly string[];
  /** For a job that goes on: number of the API's records up to the page's end, and the API's total if it gives one. */
  readonly reached?: number;
  readonly expected?: number | undefined;
  /** The reason why the job cannot go on. `next` and `verdict` are then undefined. */
  readonly failure?: SpileError;
}

/** The paging of one job: a paginator with the stop rules and the verdict. Pure: positions hold all state. */
export interface Scroll {
  /** Paths whose values every summary must carry. */
  readonly watch: readonly Path[];
  /** Path in each record of the number whose extremes every summary must contain (`cursor`). */
  readonly recordKey: Path | undefined;
  /** Paths in the last record, as it came, whose values every summary must contain. */
  readonly lastRecord: readonly Path[];
  /** The API's own answers name each next page: it does not refuse one as being beyond its last. */
  readonly leads: boolean;
  /** Every summary must contain evidence of more, and of failure. */
  readonly evidence: boolean;
  /** Every summary must contain a sample of its records. */
  readonly sampled: boolean;
  /** Every summary must contain the keys of its records. */
  readonly probes: boolean;
  /** Every summary must contain the volume of its JSON. */
  readonly volume: boolean;
  /** Returns the position of the first page. `now` is in milliseconds. */
  start(parameters: readonly OwnParameter[], now: number): Position;
  /** Returns the request of a page: the job's own with paging parameters, or another address. */
  request(base: Request, position: Position): Request;
  /** Returns the position after `position` if its page is full. Undefined: only the response decides. */
  ahead(position: Position): Position | undefined;
  /** Returns whether both positions request the same page. */
  same(a: Position, b: Position): boolean;
  /**
   * Decides after a page. Must be called once for each page, in order. `seen` remembers the pages of the job run by what identifies
   * their records; without it, as after a resume, only equal bytes count.
   */
  advance(position: Position, summary: PageSummary, now: number, seen?: SeenPages): Advance;
}
