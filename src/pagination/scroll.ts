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
  /** The position of the next page. Undefined if the job has ended; `verdict` then says how. */
  readonly next: Position | undefined;
  readonly verdict: Verdict | undefined;
  /** True if the page only repeats the one before it. Its records must not be written. */
  readonly repeated: boolean;
  /** Warnings for people, each once for a job. The caller adds job and page. */
  readonly warnings: readonly string[];
  /** For a job that continues, the number of records that it has received or skipped so far. */
  readonly reached?: number;
  /** For a job that continues, the API's total if it gives one. */
  readonly expected?: number | undefined;
  /** For a job that continues, a clause for the message if the API refuses the next page (`end-advice.ts`). */
  readonly endAdvice?: string | undefined;
  /** The reason why the job cannot continue. `next` and `verdict` are then undefined. */
  readonly failure?: SpileError;
}

/** The paging of one job: a paginator with the stop rules and the verdict. Pure: positions hold all state. */
export interface Scroll {
  /** Paths in the response whose values every summary must contain. */
  readonly watch: readonly Path[];
  /** Path in each record of the number whose extremes every summary must contain (`cursor`). */
  readonly recordKey: Path | undefined;
  /** Paths in the last raw record whose values every summary must contain. */
  readonly lastRecord: readonly Path[];
  /** True if the API's own answers name each next page. Then the API never refuses a page because it is beyond the last one. */
  readonly leads: boolean;
  /** True if every summary must contain evidence of more records, and of failure. */
  readonly evidence: boolean;
  /** True if every summary must contain a sample of its records. */
  readonly sampled: boolean;
  /** True if every summary must contain the keys of its records. */
  readonly probes: boolean;
  /** True if every summary must contain the volume of its JSON. */
  readonly volume: boolean;
  /** Returns the position of the first page. `now` is in milliseconds. */
  start(parameters: readonly OwnParameter[], now: number): Position;
  /** Returns the request of a page: the job's own request with paging parameters, or one for another address. */
  request(base: Request, position: Position): Request;
  /** Returns the position after `position` if its page is full; undefined if only the response decides that. */
  ahead(position: Position): Position | undefined;
  /** Returns whether both positions request the same page. */
  same(a: Position, b: Position): boolean;
  /**
   * Decides after a page. Must be called once for each page, in order. `seen` remembers the pages of the job run by the
   * identities of their records. Without it, only pages with equal bytes count as repeated.
   */
  advance(position: Position, summary: PageSummary, now: number, seen?: SeenPages): Advance;
}
