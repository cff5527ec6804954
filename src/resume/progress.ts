import { SpileError } from "../core/errors.ts";
import type { StepAnswer } from "../core/runs/step-answer.ts";
import { isWatermarks, type Watermarks } from "../core/runs/watermark.ts";
import { integer, isObject, type Value, type ValueObject } from "../core/values/value.ts";

/** A place between two pages of a top-level job, or between two jobs. Everything before it was written. Plain JSON. */
export type Checkpoint = {
  /** Number of the iteration, from 0. If nothing is left to do, it is the number of all iterations. */
  readonly iteration: number;
  /** Number of the job among the top-level jobs of the run, from 0. */
  readonly job: number;
  /** Number of the run among the runs of the job (for windows and a list of endpoints), from 0. */
  readonly run: number;
  /** The position of the run's next page; null if the run has not begun. */
  readonly position: Value;
  /** Number of pages of the run that have ended. */
  readonly pages: number;
  /** The counts of the current job; null between jobs. */
  readonly tally: Value;
  /** The saved progress of the job's increment; null between jobs, and for a job without an increment. */
  readonly increment: Value;
  /** Present if the run has steps that were answered. */
  readonly steps?: AnsweredSteps;
};

/** The answers to the steps of a job run, and the place in the runs after the steps. */
export type AnsweredSteps = {
  /** Answers to the first steps, in order. */
  readonly answers: readonly StepAnswer[];
  /** Number of the current run among the runs after the steps, from 0. */
  readonly part: number;
  /** The counts of the job before the runs after the steps. */
  readonly tally: Value;
};

/** Returns the place before a job. */
export function beginningOf(iteration: number, job: number): Checkpoint {
  return { iteration, job, run: 0, position: null, pages: 0, tally: null, increment: null };
}

/** Returns whether the place is before all lines of its job. */
export function isBeginning({ run, position, steps }: Checkpoint): boolean {
  return run === 0 && position === null && (steps?.part ?? 0) === 0;
}

type JobPlace = Pick<Checkpoint, "iteration" | "job">;

/** Returns whether one place is in an earlier job than the other. */
export function isBefore(one: JobPlace, other: JobPlace): boolean {
  return one.iteration === other.iteration ? one.job < other.job : one.iteration < other.iteration;
}

export function isSameJob(one: JobPlace, other: JobPlace): boolean {
  return one.iteration === other.iteration && one.job === other.job;
}

/** The place of a run. Everything before `checkpoint` was written, except for the rest of failed jobs (`--keep-going`). */
export interface Standing {
  readonly checkpoint: Checkpoint;
  /** For each job that has failed, the last place from which it can be resumed. */
  readonly failed: readonly Checkpoint[];
}

/** Properties that a run must have in common with the run that it resumes. */
export type RunIdentity = {
  /** The version of spile, since only that version can read its positions. */
  readonly version: string;
  /** Digests of everything on which the records depend. */
  readonly configuration: string;
  readonly options: string;
  /** Target of the lines, as messages name it. */
  readonly output: string;
};

/** The progress of a run, from which a later run resumes (`--resume`, contract C-11.9). Plain JSON. */
export type Progress = RunIdentity & {
  /** The key of the fingerprints of lines. Positions contain such fingerprints. */
  readonly fingerprintKey: string;
  /** Start of the run in Unix seconds: its `currentStart`, even after it is resumed. */
  readonly startedAt: number;
  /** The time of paging's clock in ms. The clock stands still between an interruption and the resumed run. */
  readonly clock: number;
  readonly checkpoint: Checkpoint;
  readonly failed: readonly Checkpoint[];
  /** Number of bytes written before the checkpoint, by file name. */
  readonly lengths: { readonly [name: string]: number };
  /** For a checkpoint in the runs after the steps: the lengths of the files before the first of these runs. */
  readonly anew?: { readonly [name: string]: number };
  /** For a checkpoint inside a job: the lengths of the files at the beginning of the job. */
  readonly begun?: { readonly [name: string]: number };
  /** Results of jobs that have ended. */
  readonly results: readonly Value[];
  /** Watermarks that the run has moved. */
  readonly watermarks: Watermarks;
};

/** Returns the progress in a state file. Throws SpileError `configuration` if it is not what a run writes. */
export function progressOf(value: Value, file: string): Progress {
  if (isObject(value) && isProgress(value)) return value;
  const what = `/progress in the state file ${file} is not what spile writes`;
  throw new SpileError("configuration", `${what}; without --resume the run starts over`);
}

function isProgress(value: ValueObject): value is ValueObject & Progress {
  const { version, configuration, options, fingerprintKey, startedAt, clock, output, lengths, results } = value;
  const { checkpoint, failed, anew, begun, watermarks } = value;
  return (
    [version, configuration, options, output].every((text) => typeof text === "string") &&
    /^[0-9a-f]{32}$/.test(String(fingerprintKey)) &&
    [startedAt, clock].every((number) => integer(number) !== undefined) &&
    isCheckpoint(checkpoint) &&
    Array.isArray(failed) &&
    failed.every(isCheckpoint) &&
    [lengths, ...[anew, begun].filter((one) => one !== undefined)].every(areLengths) &&
    Array.isArray(results) &&
    isWatermarks(watermarks)
  );
}

/**
 * Returns progress from which the current job starts over. Undefined if the lengths of the files at its beginning are unknown, if an
 * increment with a value for each parent has moved, or if jobs have failed.
 */
export function withRestartedJob(progress: Progress): Progress | undefined {
  const { anew: _, begun, ...others } = progress;
  const { iteration, job } = progress.checkpoint;
  // If an increment has a value for each parent, its values from before the job are not known any more.
  const hasParents = Object.values(progress.watermarks).some(({ partitions }) => partitions !== undefined);
  if (begun === undefined || hasParents || progress.failed.length > 0) return undefined;
  return { ...others, checkpoint: beginningOf(iteration, job), lengths: begun };
}

function areLengths(value: Value | undefined): boolean {
  return isObject(value) && Object.values(value).every((number) => integer(number) !== undefined);
}

function isCheckpoint(value: Value | undefined): boolean {
  if (!isObject(value)) return false;
  const { steps } = value;
  const isAnswered = isObject(steps) && Array.isArray(steps.answers) && integer(steps.part) !== undefined;
  if (steps !== undefined && !isAnswered) return false;
  return [value.iteration, value.job, value.run, value.pages].every((number) => integer(number) !== undefined);
}
