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

/** One page on its way through the stages. Extract calls `end` once, to report to the source how the page ended. */
export interface Page {
  readonly run: JobRun;
  /** Sends the requests of the page's iteration. */
  readonly client: Client;
  /** Number of the page in its run, from 1. */
  readonly number: number;
  /**
   * The request, the steps before a run's first page, or the error because of which there is no request. The error is reported
   * when the page's turn comes.
   */
  readonly request: Request | StepsToSend | SpileError;
  /** Aborted if the page's turn will never come, or the run is stopped. Ends the page's requests. */
  readonly signal: Cancellation;
  /** Returns whether the page's lines are the next to be written. */
  inTurn(): boolean;
  /** Reports that the page is being read. `counts` returns its counts so far. */
  reads(counts: () => Counts): void;
  /** Reports that a step of the page was answered. Returns the mark to put after the lines that come before this answer. */
  answered(answer: StepAnswer): Mark | undefined;
  /** Reports how the page ended. Returns its part that is still to be written. The source then continues. */
  end(outcome: Outcome): Remainder;
  /** Keys written so far in the page's top-level job; only with `--unique`. */
  readonly keys: Keys | undefined;
  /** Reports a warning about the page. A job reports equal warnings only once. */
  warn(message: string): void;
}

/** Suffix of the warning about a page without records that is not the first: most APIs end with such a page. */
export const asUsual = ", as is usual on the last page";

/** The way in which a page ended. */
export type Outcome = ReadOutcome | FullOutcome | FailedOutcome | AnsweredOutcome;

/** Steps, and the answers that a resumed run already has to the first of them. */
export interface StepsToSend extends Pick<StepsStart, "steps" | "run"> {
  readonly knownAnswers: readonly StepAnswer[];
}

/** The outcome of steps that were all answered. */
export interface AnsweredOutcome {
  readonly kind: "answered";
  readonly counts: Counts;
  /** The reason why the run ends here, if a rule of `api.http.responses` says so. */
  readonly ended: string | undefined;
}

/** The outcome of a page whose document was read to its end. */
export interface ReadOutcome {
  readonly kind: "read";
  readonly counts: Counts;
  readonly summary: PageSummary;
  /** The values of the job's increment in the page's records. */
  readonly watermark: PageWatermark;
  /** For each child job, the records for which it runs. */
  readonly parents: readonly Iterable<Parent>[];
  /** Lines that waited until the page was complete. */
  readonly waiting: readonly Lines[];
}

/** The outcome of a page with more lines than may be written (`--max-records`). The run ends within the page. */
export interface FullOutcome {
  readonly kind: "full";
  readonly counts: Counts;
  readonly waiting: readonly Lines[];
}

/** The outcome of a page that finally failed. Its job ends and, without `--keep-going`, so does the run. */
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
  /** The mark to put after the lines, if the run could be resumed there. */
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

/** Steps whose requests were begun. */
export interface OpenedSteps {
  readonly page: Page;
  /** Yields the answers as they come. Returns the reason if a rule of `api.http.responses` ends the run here, else undefined. */
  readonly answers: AsyncGenerator<StepAnswer, string | undefined>;
  counts(): { readonly requests: number; readonly retries: number };
}

/** A page whose request was begun. */
export interface OpenedPage {
  readonly page: Page;
  /**
   * Returns the answer. `fault`: the fault of the last answer's body, after which a new answer is requested under the same retry
   * budget.
   */
  open(fault?: TransportFault): Promise<Answer>;
  /** Returns the numbers of requests sent and retries made so far. */
  counts(): { readonly requests: number; readonly retries: number };
}
