import type { Parent } from "../compile/plan.ts";
import type { SpileError } from "../core/errors.ts";
import type { PageSummary } from "../core/page.ts";
import type { Request } from "../core/request.ts";
import type { Answer, TransportFault } from "../http/session.ts";
import type { Mark } from "../output/sink.ts";
import type { JobRun } from "./job-run.ts";
import type { Keys } from "./key-set.ts";

/** One page on its way through the stages. It carries the signal back to the source: `settle`, once, or `fail`. */
export interface Page {
  readonly run: JobRun;
  /** From 1, within its run. */
  readonly number: number;
  /** What to ask for, or why that cannot be said (told when the page's turn comes). */
  readonly request: Request | SpileError;
  /** Aborted when the page's turn will never come, or the run is torn down: it ends the page's requests. */
  readonly signal: AbortSignal;
  /** Are its lines the next to be written? */
  inTurn(): boolean;
  /** Tells how the page ended; the source goes on. */
  settle(ending: Ending): Settled;
  /** The page failed for good: its job ends, and without `--keep-going` the run. */
  fail(error: SpileError, counts: Counts): void;
  /** `--max-records` is reached before the page's end: the run ends here. */
  stop(counts: Counts): void;
  /** Keys written so far in its top-level job; only with `--unique`. */
  readonly keys: Keys | undefined;
  /** A warning about the page, given once a job. */
  warn(message: string): void;
}

export interface Settled {
  /** How many of the lines that wait are to be written. */
  readonly write: number;
  /** What follows the page's lines, where the run could be taken up after them. */
  readonly mark: Mark | undefined;
}

export interface Counts {
  /** Lines written already: those that did not wait for the page's end. */
  readonly written: number;
  /** Records dropped by `--unique`. */
  readonly duplicates: number;
  readonly requests: number;
  readonly retries: number;
}

export interface Ending extends Counts {
  readonly summary: PageSummary;
  /** Lines that wait. */
  readonly waiting: number;
  /** For each child job, the records that get requests of it. */
  readonly parents: readonly Iterable<Parent>[];
}

/** A page whose request is on its way: what the fetch stage makes of a page. */
export interface OpenedPage {
  readonly page: Page;
  /** The answer; given the fault that broke the last one's body, a new one under the same retry budget. */
  open(fault?: TransportFault): Promise<Answer>;
  /** Requests sent and retries made so far. */
  counts(): { readonly requests: number; readonly retries: number };
}
