import type { JobPlan, Parent, Start, StepsStart } from "../compile/plan.ts";
import type { PageCancellation } from "../core/cancellation.ts";
import { SpileError } from "../core/errors.ts";
import type { PageSummary } from "../core/runs/page.ts";
import type { Value } from "../core/values/value.ts";
import type { Position } from "../pagination/scroll.ts";
import type { SeenPages } from "../pagination/seen-pages.ts";
import type { AnsweredSteps, Checkpoint } from "../resume/progress.ts";
import type { Partition } from "./source/partition.ts";

/** One execution of a job. A child job has its own for each record of its parent, or for each batch of them. */
export interface JobRun {
  readonly plan: JobPlan;
  readonly parents: readonly Parent[];
  /** Number of this run among the runs of the job under these parents, from 0. */
  readonly index: number;
  /** True if `start` is an error that ends the whole job, and not only its run for one parent. */
  readonly endsJob?: boolean | undefined;
  /**
   * The beginning of the run, or the reason why it cannot begin. If the run has steps, their answers are its only page, and the
   * runs that follow from the answers come after it.
   */
  readonly start: Start | StepsStart | SpileError;
  /** The answers to the steps of this run, or to the steps after which it runs. */
  answered?: AnsweredSteps | undefined;
  /** The first page of this run if it continues from the place or the answers that an earlier process stored. */
  readonly resumed?: Resumed | undefined;
  /** For a run with steps: the place where an earlier process was interrupted, in one of the runs after the steps. */
  readonly from?: Interrupted | undefined;
  /** Pages that were requested and have not ended, in order. All but the first are guesses. */
  readonly pages: Slot[];
  /** The next position, if it is certain but not yet requested. */
  knownPosition: Position | undefined;
  settled: number;
  /** Number of records that the run has received or skipped so far, and the API's total. Undefined if the API gives none. */
  reach?: { readonly records: number; readonly total: number } | undefined;
  /** A clause about the last page, for the message if the API refuses the next one. */
  endAdvice?: string | undefined;
  /** For a job whose increment may move before the job ends: the runs of one parent, or one window, to which this run belongs. */
  readonly partition?: Partition | undefined;
  /** This partition, and those of the jobs above it. */
  readonly partitions: readonly Partition[];
  /** The pages of the run so far, by the identities of their records. */
  seen?: SeenPages | undefined;
}

/** Returns the name of a run's window; undefined if it has none. */
export function windowName({ start }: JobRun): string | undefined {
  return start instanceof SpileError ? undefined : start.window?.name;
}

/** Returns the end of a run's window, in Unix seconds; undefined if it has none. */
export function windowEnd({ start }: JobRun): Value | undefined {
  return start instanceof SpileError ? undefined : start.window?.to;
}

export interface Resumed {
  /** Number of its first page. */
  readonly page: number;
  readonly by: NonNullable<PageSummary["resumed"]>;
}

/** A place in a run of a job from which it can be resumed. */
export type Interrupted = Pick<Checkpoint, "run" | "position" | "pages" | "steps">;

/** A page's place in the order of the output. */
export interface Slot {
  readonly run: JobRun;
  /** Number of the page in its run, from 1. */
  readonly number: number;
  position: Position;
  /** Aborted if the page's turn will not come: a guess was wrong, or the job has ended. */
  readonly abort: PageCancellation;
}

/** Returns whether pages of the job may be fetched concurrently. */
export function mayRunAhead({ children, windows, endpoints, scroll }: JobPlan): boolean {
  if (children.length > 0 || windows !== undefined || endpoints.length > 1) return true;
  return scroll.ahead(scroll.start([], 0)) !== undefined;
}
