import type { Parent, StepsStart } from "../compile/plan.ts";
import type { Client } from "../compile/senders.ts";
import type { Cancellation } from "../core/cancellation.ts";
import type { SpileError } from "../core/errors.ts";
import type { Lines } from "../core/lines.ts";
import type { PageSummary } from "../core/page.ts";
import type { Request } from "../core/request.ts";
import type { StepAnswer } from "../core/step-answer.ts";
import type { Answer, TransportFault } from "../http/session.ts";
import type { Mark } from "../output/sink.ts";
import type { JobRun } from "./job-run.ts";
import type { Keys } from "./key-set.ts";
import type { PageWatermark } from "./page-watermark.ts";

/** One page on its way through the stages. It carries the answer back to the source: `end`, once, tells how it ended. */
export interface Page {
  readonly run: JobRun;
  /** Of its iteration. */
  readonly client: Client;
  /** From 1, within its run. */
  readonly number: number;
  /** What to ask for, or why that cannot be said (told when the page's turn comes). Or the steps before a run's first page. */
  readonly request: Request | StepsToAsk | SpileError;
  /** Aborted when the page's turn will never come, or the run is torn down: it ends the page's requests. */
  readonly signal: Cancellation;
  /** Are its lines the next to be written? */
  inTurn(): boolean;
  /** The page is being read from now on; `counts` tells how far that has come. */
  reads(counts: () => Counts): void;
  /** A step of the page has been answered; answers what is to follow the lines before it. */
  answered(answer: StepAnswer): Mark | undefined;
  /** Tells how the page ended, and learns what of it is to be written; the source goes on. */
  end(outcome: Outcome): Remainder;
  /** Keys written so far in its top-level job; only with `--unique`. */
  readonly keys: Keys | undefined;
  /** A warning about the page, given once a job. */
  warn(message: string): void;
}

/** Added to the warning of a page without records that is not the first: most APIs end so. */
export const asUsual = ", as is usual on the last page";

/** How a page ended. */
export type Outcome = ReadOutcome | FullOutcome | FailedOutcome | AnsweredOutcome;

/** Steps, and the answers that are known already to the first of them. */
export interface StepsToAsk extends Pick<StepsStart, "steps" | "run"> {
  readonly known: readonly StepAnswer[];
}

/** Its steps have all been answered. */
export interface AnsweredOutcome {
  readonly kind: "answered";
  readonly counts: Counts;
  /** Why the run ends here: a rule of `api.http.responses` says so. */
  readonly ended: string | undefined;
}

/** Its document has ended well. */
export interface ReadOutcome {
  readonly kind: "read";
  readonly counts: Counts;
  readonly summary: PageSummary;
  /** Of its job's increment. */
  readonly watermark: PageWatermark;
  /** For each child job, the records that get requests of it. */
  readonly parents: readonly Iterable<Parent>[];
  /** Lines that have waited for the end. */
  readonly waiting: readonly Lines[];
}

/** More lines came than may be written (`--max-records`): the run ends in the page's midst. */
export interface FullOutcome {
  readonly kind: "full";
  readonly counts: Counts;
  readonly waiting: readonly Lines[];
}

/** It failed for good: its job ends, and without `--keep-going` the run. */
export interface FailedOutcome {
  readonly kind: "failed";
  readonly counts: Counts;
  /** Lines that were good before: of a page whose lines flow those go out that came whole. */
  readonly waiting: readonly Lines[];
  readonly error: SpileError;
}

/** What is still to be written of a page that has ended. */
export interface Remainder {
  readonly lines: readonly Lines[];
  /** What follows the lines, where the run could be taken up after them. */
  readonly mark: Mark | undefined;
}

export interface Counts {
  /** Lines written already: those that did not wait for the page's end. */
  readonly written: number;
  /** Records dropped by `--unique`. */
  readonly duplicates: number;
  /** Bytes of the body, decoded, that have been read. */
  readonly bytes: number;
  readonly requests: number;
  readonly retries: number;
}

/** What the fetch stage makes of a page. */
export type Opened = OpenedPage | OpenedSteps;

/** Steps that are being asked. */
export interface OpenedSteps {
  readonly page: Page;
  /** Their answers as they come; returns why the run ends here, where it does. */
  readonly answers: AsyncGenerator<StepAnswer, string | undefined>;
  counts(): { readonly requests: number; readonly retries: number };
}

/** A page whose request is on its way. */
export interface OpenedPage {
  readonly page: Page;
  /** The answer; given the fault that broke the last one's body, a new one under the same retry budget. */
  open(fault?: TransportFault): Promise<Answer>;
  /** Requests sent and retries made so far. */
  counts(): { readonly requests: number; readonly retries: number };
}
