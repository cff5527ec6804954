import type { SpileError } from "../core/errors.ts";
import type { PageSummary, Verdict } from "../core/page.ts";
import type { Path } from "../core/path.ts";
import type { OwnParameter, Request } from "../core/request.ts";
import type { Value } from "../core/value.ts";
import type { SeenPages } from "./seen-pages.ts";

/** Where a job stands: a plain JSON value, which is also what resuming stores. Pagination alone knows its shape. */
export type Position = Value;

/** What to do after a page. */
export interface Advance {
  /** The next page; undefined when the job has ended, and then `verdict` says how. */
  readonly next: Position | undefined;
  readonly verdict: Verdict | undefined;
  /** The page only repeats the one before it: its records are not to be written. */
  readonly repeated: boolean;
  /** For people, each once a job; without job and page, which the caller adds. */
  readonly warnings: readonly string[];
  /** Of a job that goes on: records of the API up to the page's end, and the total that it tells of, where it does. */
  readonly reached?: number;
  readonly expected?: number | undefined;
  /** Why the job cannot go on; `next` and `verdict` are undefined then. */
  readonly failure?: SpileError;
}

/** The paging of one job: a paginator with the stop rules and the verdict around it. Pure: all state is in positions. */
export interface Scroll {
  /** Paths whose values every summary must carry. */
  readonly watch: readonly Path[];
  /** Path within each record whose smallest and greatest number the summary must carry (`cursor`). */
  readonly recordKey: Path | undefined;
  /** Paths within the last record, as it came, whose values the summary must carry. */
  readonly lastRecord: readonly Path[];
  /** Must every summary carry evidence of more, and of failure? */
  readonly evidence: boolean;
  /** Must every summary carry a sample of its records? */
  readonly sampled: boolean;
  /** Must every summary carry the keys of its records? */
  readonly probes: boolean;
  /** Must every summary tell the volume of its JSON? */
  readonly volume: boolean;
  /** The position of the first page. `now` is in milliseconds. */
  start(parameters: readonly OwnParameter[], now: number): Position;
  /** The request of a page: the job's own with paging parameters, or another address. */
  request(base: Request, position: Position): Request;
  /** The position after `position` should its page turn out full; undefined where only the response tells. */
  ahead(position: Position): Position | undefined;
  /** Do both positions ask for the same page? */
  same(a: Position, b: Position): boolean;
  /**
   * Called once a page, in order. `seen` remembers the pages of the job run by what identifies their records; without it, as
   * after a resume, equal bytes alone count.
   */
  advance(position: Position, summary: PageSummary, now: number, seen?: SeenPages): Advance;
}
