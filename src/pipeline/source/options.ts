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
  /** Number of its iteration, from 0. */
  readonly iteration: number;
  /** Number of the job in its iteration, from 0. */
  readonly index: number;
  /** Place in the job at which an earlier run was interrupted; undefined to begin the job at its start. */
  readonly from: Checkpoint | undefined;
}

/** The jobs of an iteration that are still to be run. */
export interface JobSchedule {
  next(): ScheduledJob | undefined;
  /** Leaves out all jobs. Passes on the results of the first thousand, and returns how many others there are. */
  leaveOut(
    resultsOf: (plan: JobPlan) => readonly JobResult[],
    leftOut: (results: readonly JobResult[]) => void,
  ): number;
}

export interface PageSourceOptions {
  /** The jobs of each iteration, in order; each is taken when its turn comes. */
  readonly iterations: AsyncIterator<JobSchedule>;
  readonly inFlight: InFlight;
  /** Maximum number of pages in flight. */
  readonly maxPageCount: number;
  /** True to continue with the next job after one has failed. */
  readonly keepGoing: boolean;
  readonly budget: LineBudget;
  /** If present, records whose key was written before are dropped. */
  readonly unique?: Unique | undefined;
  readonly emit: Emit;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Called when a job begins. */
  begins(plan: JobPlan): void;
  /** Called once for each job, in order, with a result for each of its datasets, and with its increment if that has moved. */
  finished(results: readonly JobResult[], moved: readonly Moved[]): void;
  /** Called with the number of jobs that are left out and have no results. */
  unlisted(count: number): void;
  /** Receives an increment that has moved for one parent or one window. It covers all lines up to the end of the current page. */
  moved(moved: Moved): void;
  /** True if increments may move with each window. */
  readonly movesByWindow: boolean;
  /** Returns a mark for the increments that `moved` has received. It is sent after a page's lines if there is no mark of a checkpoint. */
  readonly moves: (() => Mark | undefined) | undefined;
  /**
   * Called for a job that failed, before `finished`, with the last place from which it could be resumed. Without
   * `keepGoing` no further job is run.
   */
  failed(error: SpileError, checkpoint: Checkpoint): void;
  /** Creates the error that restarts a resumed job whose place has expired. The source is destroyed with it. If absent, the job fails. */
  readonly createRestart?: ((error: SpileError) => Error) | undefined;
  /** Called with every place from which the run could be resumed. Returns the mark to send after the lines before that place. */
  readonly mark: ((checkpoint: Checkpoint) => Mark | undefined) | undefined;
  /**
   * Called before `mark` for every page that was read to its end, with its run and its watermark. The mark that it returns is
   * sent after the page's lines if `mark` returns none.
   */
  readonly ended?: ((run: JobRun, watermark: ReadOutcome["watermark"]) => Mark | undefined) | undefined;
}
