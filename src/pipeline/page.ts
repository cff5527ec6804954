import type { Parent, StepsStart } from "../compile/plan.ts";
import type { Client } from "../compile/sending/senders.ts";
import type { Cancellation } from "../core/cancellation.ts";
import type { SpileError } from "../core/errors.ts";
import type { Request } from "../core/requests/request.ts";
import type { Lines } from "../core/runs/lines.ts";
import type { PageSummary } from "../core/runs/page.ts";
import type { StepAnswer } from "../core/runs/step-answer.ts";
import type { Answer, TransportFault } from "../http/exchange/session.ts";
import type { Mark } from "../output/sink.ts";
import type { JobRun } from "./job-run.ts";
import type { Keys } from "./key-set.ts";
import type { PageWatermark } from "./page-watermark.ts";

/** One page on its way through the stages. The last stage calls `end` once, by which the source learns how the page ended. */
export interface Page {
  readonly run: JobRun;
  /** The client of its iteration. */
  readonly client: Client;
  /** From 1, within its run. */
  readonly number: number;
  /** The request; or the steps before a run's first page; or why there is no request, reported when the page's turn comes. */
  readonly request: Request | StepsToAsk | SpileError;
  /** Ends the page's requests. Aborted if the page's turn will never come or the run is stopped. */
  readonly signal: Cancellation;
  /** Returns whether the page's lines are the next to be written. */
  inTurn(): boolean;
  /** Reports that reading of the page begins. `counts` returns its counts so far. */
  reads(counts: () => Counts): void;
  /** Reports that a step of the page was answered. Returns the mark behind the lines before it. */
  answered(answer: StepAnswer): Mark | undefined;
  /** Reports how the page ended, and returns the part of it that is to be written. The source then continues. */
  end(outcome: Outcome): Remainder;
  /** Keys written so far in its top-level job; only with `--unique`. */
  readonly keys: Keys | undefined;
  /** Gives a warning about the page, once for a job. */
  warn(message: string): void;
}

/** Suffix of the warning about a page without records that is not the first: most APIs end with one. */
export const asUsual = ", as is usual on the last page";

/** The end of a page. */
export type Outcome = ReadOutcome | FullOutcome | FailedOutcome | AnsweredOutcome;

/** Steps, and the answers that a resumed run already has to the first of them. */
export interface StepsToAsk extends Pick<StepsStart, "steps" | "run"> {
  readonly knownAnswers: readonly StepAnswer[];
}

/** The end of steps that were all answered. */
export interface AnsweredOutcome {
  readonly kind: "answered";
  readonly counts: Counts;
  /** The reason why the run ends here, if a rule of `api.http.responses` says so. */
  readonly ended: string | undefined;
}

/** The end of a page whose document was read to its end. */
export interface ReadOutcome {
  readonly kind: "read";
  readonly counts: Counts;
  readonly summary: PageSummary;
  /** The watermark of its job's increment. */
  readonly watermark: PageWatermark;
  /** For each child job, the records that lead to its requests. */
  readonly parents: readonly Iterable<Parent>[];
  /** Lines that waited for the page's end. */
  readonly waiting: readonly Lines[];
}

/** The end of a page with more lines than may be written (`--max-records`). The run ends within the page. */
export interface FullOutcome {
  readonly kind: "full";
  readonly counts: Counts;
  readonly waiting: readonly Lines[];
}

/** The end of a page that failed for good. Its job ends, and without `--keep-going` the run does, too. */
export interface FailedOutcome {
  readonly kind: "failed";
  readonly counts: Counts;
  /** Whole lines from before the failure, if the page has more lines than are held back until its end. */
  readonly waiting: readonly Lines[];
  readonly error: SpileError;
}

/** The lines of an ended page that are still to be written. */
export interface Remainder {
  readonly lines: readonly Lines[];
  /** The mark behind the lines, if the run could be resumed there. */
  readonly mark: Mark | undefined;
}

export interface Counts {
  /** Number of records written before the page's end. */
  readonly writtenRecords: number;
  /** Number of records dropped by `--unique`. */
  readonly duplicates: number;
  /** Number of decoded bytes of the body that were read. */
  readonly bytes: number;
  readonly requests: number;
  readonly retries: number;
}

/** A page after the fetch stage. */
export type Opened = OpenedPage | OpenedSteps;

/** Steps whose requests are being sent. */
export interface OpenedSteps {
  readonly page: Page;
  /** Yields the answers as they come. Returns why the run ends here, if it does. */
  readonly answers: AsyncGenerator<StepAnswer, string | undefined>;
  counts(): { readonly requests: number; readonly retries: number };
}

/** A page whose request is on its way. */
export interface OpenedPage {
  readonly page: Page;
  /** Returns the answer. Given the fault that broke the last answer's body, requests a new one under the same retry budget. */
  open(fault?: TransportFault): Promise<Answer>;
  /** Returns the numbers of requests sent and retries made so far. */
  counts(): { readonly requests: number; readonly retries: number };
}
