import type { Unique } from "../../compile/jobs/unique.ts";
import type { JobPlan } from "../../compile/plan.ts";
import type { Client } from "../../compile/sending/senders.ts";
import type { SpileError } from "../../core/errors.ts";
import type { Emit } from "../../core/runs/event.ts";
import type { JobResult } from "../../core/runs/run.ts";
import type { Moved } from "../../core/runs/watermark.ts";
import type { Mark } from "../../output/sink.ts";
import type { Checkpoint } from "../../resume/progress.ts";
import type { InFlight } from "../in-flight.ts";
import type { JobRun } from "../job-run.ts";
import type { LineBudget } from "../line-budget.ts";
import type { ReadOutcome } from "../page.ts";

/** A top-level job that is to be run. */
export interface ScheduledJob {
  readonly plan: JobPlan;
  /** Sends the requests of its iteration. */
  readonly client: Client;
  /** The number of its iteration, from 0. */
  readonly iteration: number;
  /** Its number among the iteration's jobs, from 0. */
  readonly index: number;
  /** Place where an earlier run of it was interrupted. */
  readonly from: Checkpoint | undefined;
}

export interface PageSourceOptions {
  /** The jobs of each iteration, in order; each is taken when its turn comes. */
  readonly iterations: AsyncIterator<Iterable<ScheduledJob>>;
  readonly inFlight: InFlight;
  /** The most pages in flight. */
  readonly most: number;
  /** Go on with the next job when one fails. */
  readonly keepGoing: boolean;
  readonly budget: LineBudget;
  /** Drop records whose key was written before. */
  readonly unique?: Unique | undefined;
  readonly emit: Emit;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Called for every job that begins. */
  begins(plan: JobPlan): void;
  /** Called once a job, in order, with a result for each of its datasets, and how far its increment has come where that moves. */
  finished(results: readonly JobResult[], moved: readonly Moved[]): void;
  /** Receives an increment that has moved for one parent or with one window. The lines before its page's end belong to it. */
  moved(moved: Moved): void;
  /** Whether increments may move with each window. */
  readonly movesByWindow: boolean;
  /** Returns the mark to send behind lines after which such increments have moved, if no checkpoint's mark follows them. */
  readonly moves: (() => Mark | undefined) | undefined;
  /**
   * Called for a job that failed, before `finished`, with the last place from which it could be resumed. Without
   * `keepGoing` no further job is run.
   */
  failed(error: SpileError, checkpoint: Checkpoint): void;
  /** Takes over a job that was resumed and whose place has expired. The source is destroyed with the error. Absent: the job fails. */
  readonly expired?: ((error: SpileError) => Error) | undefined;
  /** Receives every place from which the run could be resumed, and returns the mark to send behind the lines before it. */
  readonly mark: ((checkpoint: Checkpoint) => Mark | undefined) | undefined;
  /**
   * Told of every page that has ended well, before `mark`: of its run, and how far an increment has come in it; its answer travels
   * behind the lines where that has none.
   */
  readonly ended?: ((run: JobRun, watermark: ReadOutcome["watermark"]) => Mark | undefined) | undefined;
}
