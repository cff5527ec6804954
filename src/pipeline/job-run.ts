import type { JobPlan, Parent, Start, StepsStart } from "../compile/plan.ts";
import type { PageCancellation } from "../core/cancellation.ts";
import { SpileError } from "../core/errors.ts";
import type { PageSummary } from "../core/runs/page.ts";
import type { Value } from "../core/values/value.ts";
import type { Position } from "../pagination/scroll.ts";
import type { SeenPages } from "../pagination/seen-pages.ts";
import type { AnsweredSteps, Checkpoint } from "../resume/progress.ts";
import type { Partition } from "./source/partition.ts";

/** One execution of a job. A child job has one for every record of its parent. */
export interface JobRun {
  readonly plan: JobPlan;
  readonly parents: readonly Parent[];
  /** Its number among the runs of the job under these parents, from 0. */
  readonly index: number;
  /** True for a failure that leaves further parents without a run. */
  readonly isWhole?: boolean | undefined;
  /**
   * The beginning, or the reason why it cannot begin. With steps its one page is their answers, and the runs to which these lead
   * follow it.
   */
  readonly start: Start | StepsStart | SpileError;
  /** The answers to steps, its own or those before it. */
  answered?: AnsweredSteps | undefined;
  /** The first page of a run that continues from an earlier run's place or answers. Undefined: it starts over. */
  readonly resumed?: Resumed | undefined;
  /** Place where the job was interrupted among the runs to which its steps lead. */
  readonly from?: Interrupted | undefined;
  /** Pages requested and not settled, in order. All but the first are guesses. */
  readonly pages: Slot[];
  /** The next position if it is certain and not yet requested. */
  knownPosition: Position | undefined;
  settled: number;
  /** Number of the API's records that have come, and the API's total. Undefined: it gives none. */
  reach?: { readonly records: number; readonly total: number } | undefined;
  /** In a job whose increment may move before its end: the runs of one parent, or one window, to which this one belongs. */
  readonly partition?: Partition | undefined;
  /** That partition, and those of the jobs above it. */
  readonly partitions: readonly Partition[];
  /** Its pages by what identifies their records. */
  seen?: SeenPages | undefined;
}

/** Returns the name of a run's window. Undefined: it has none. */
export function windowName({ start }: JobRun): string | undefined {
  return start instanceof SpileError ? undefined : start.window?.name;
}

/** Returns the end of a run's window, in Unix seconds. Undefined: it has none. */
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
  /** From 1, within its run. */
  readonly number: number;
  position: Position;
  /** Its turn will not come: a guess was wrong, or the job has ended. */
  readonly abort: PageCancellation;
}
