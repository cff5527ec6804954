import { SpileError } from "../core/errors.ts";
import type { StepAnswer } from "../core/runs/step-answer.ts";
import { isWatermarks, type Watermarks } from "../core/runs/watermark.ts";
import { integer, isObject, type Value, type ValueObject } from "../core/values/value.ts";

/** A place between two pages of a top-level job, or between two jobs: everything before it is written. Plain JSON. */
export type Checkpoint = {
  /** Of the runs that `iterations` make, from 0; all of them, where nothing is left to do. */
  readonly iteration: number;
  /** Of the top-level jobs that are run, from 0. */
  readonly job: number;
  /** Of the runs that the job makes of a list of endpoints, from 0. */
  readonly run: number;
  /** The position of the run's next page; null: the run has not begun. */
  readonly position: Value;
  /** Pages of the run that are written. */
  readonly pages: number;
  /** The count of the job under way; null between jobs. */
  readonly tally: Value;
  /** How far its increment has come; null between jobs, and where it has none. */
  readonly increment: Value;
  /** Where the run has steps that have been answered. */
  readonly steps?: AnsweredSteps;
};

/** How far a run of a job has come that has steps. */
export type AnsweredSteps = {
  /** Of the first steps, in order. */
  readonly answers: readonly StepAnswer[];
  /** Of the runs that the answers have led to, the one under way, from 0. */
  readonly part: number;
  /** The count of the job before any of it was written. */
  readonly tally: Value;
};

/** The place before a job. */
export function beginningOf(iteration: number, job: number): Checkpoint {
  return { iteration, job, run: 0, position: null, pages: 0, tally: null, increment: null };
}

/** Has nothing of the job been written at the place? */
export function isBeginning({ run, position, steps }: Checkpoint): boolean {
  return run === 0 && position === null && (steps?.part ?? 0) === 0;
}

type JobPlace = Pick<Checkpoint, "iteration" | "job">;

/** Does a place come before another one? Of two in the same job neither does. */
export function isBefore(one: JobPlace, other: JobPlace): boolean {
  return one.iteration === other.iteration ? one.job < other.job : one.iteration < other.iteration;
}

export function isSameJob(one: JobPlace, other: JobPlace): boolean {
  return one.iteration === other.iteration && one.job === other.job;
}

/** Where a run stands. Everything before `checkpoint` is written, but for what jobs lack that have failed (`--keep-going`). */
export interface Standing {
  readonly checkpoint: Checkpoint;
  /** For each job that has failed before it, the last place from which that could go on. */
  readonly failed: readonly Checkpoint[];
}

/** What a run must have in common with the one that it takes up. */
export type RunIdentity = {
  /** The version of spile: positions are its own affair. */
  readonly version: string;
  /** Digests of what the records depend on. */
  readonly configuration: string;
  readonly options: string;
  /** Where the lines go, for people and for comparison. */
  readonly output: string;
};

/** How far a run has come: what a later one needs to go on (`--resume`, contract C-11.9). Plain JSON. */
export type Progress = RunIdentity & {
  /** The key of the fingerprints of lines, some of which stand in positions. */
  readonly fingerprintKey: string;
  /** Unix seconds: `currentStart` of the run, whoever goes on with it. */
  readonly startedAt: number;
  /** The paging's clock in milliseconds: it stands still until the run is taken up. */
  readonly clock: number;
  readonly checkpoint: Checkpoint;
  readonly failed: readonly Checkpoint[];
  /** Bytes written before the checkpoint, by file name. */
  readonly lengths: { readonly [name: string]: number };
  /** The lengths before anything was written that the answers to steps have led to, where the checkpoint is behind that. */
  readonly anew?: { readonly [name: string]: number };
  /** The lengths at the beginning of the job under way, if its place is behind that. */
  readonly begun?: { readonly [name: string]: number };
  /** The results of jobs that have ended. */
  readonly results: readonly Value[];
  /** How far the increments of complete jobs have come. */
  readonly watermarks: Watermarks;
};

/** Reads what stands in a state file. Throws SpileError `configuration` where it is not what a run writes. */
export function progressOf(value: Value, file: string): Progress {
  if (isObject(value) && isProgress(value)) return value;
  const what = `/progress in the state file ${file} is not what spile writes`;
  throw new SpileError("configuration", `${what}; without --resume the run begins anew`);
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

/** Returns progress from which the job under way begins anew. Undefined: nothing says where its lines begin. */
export function withJobAnew(progress: Progress): Progress | undefined {
  const { anew: _, begun, ...others } = progress;
  const { iteration, job } = progress.checkpoint;
  // How far the increments of parents had come before the job is not known any more.
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
