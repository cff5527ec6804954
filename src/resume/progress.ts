import { SpileError } from "../core/errors.ts";
import { integer, isObject, type Value, type ValueObject } from "../core/value.ts";

/** A place between two pages of a top-level job, or between two jobs: everything before it is written. Plain JSON. */
export type Checkpoint = {
  /** Of the runs that `iterations` make, from 0; all of them, where nothing is left to do. */
  readonly iteration: number;
  /** Of the top-level jobs that are run, from 0. */
  readonly job: number;
  /** The position of the job's next page; null: the job has not begun. */
  readonly position: Value;
  /** Pages of the job that are written. */
  readonly pages: number;
  /** The count of the job under way; null between jobs. */
  readonly tally: Value;
};

/** Where a run begins that takes up no other. */
export const beginning: Checkpoint = { iteration: 0, job: 0, position: null, pages: 0, tally: null };

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
  /** Bytes written before the checkpoint, by file name. */
  readonly lengths: { readonly [name: string]: number };
  /** The results of jobs that have ended. */
  readonly results: readonly Value[];
};

/** Reads what stands in a state file. Throws SpileError `configuration` where it is not what a run writes. */
export function progressOf(value: Value, file: string): Progress {
  if (isObject(value) && isProgress(value)) return value;
  const what = `/progress in the state file ${file} is not what spile writes`;
  throw new SpileError("configuration", `${what}; without --resume the run begins anew`);
}

function isProgress(value: ValueObject): value is ValueObject & Progress {
  const { version, configuration, options, fingerprintKey, startedAt, clock, output, lengths, checkpoint, results } =
    value;
  return (
    [version, configuration, options, output].every((text) => typeof text === "string") &&
    /^[0-9a-f]{32}$/.test(String(fingerprintKey)) &&
    isObject(checkpoint) &&
    [startedAt, clock, checkpoint.iteration, checkpoint.job, checkpoint.pages].every(
      (number) => integer(number) !== undefined,
    ) &&
    isObject(lengths) &&
    Object.values(lengths).every((number) => integer(number) !== undefined) &&
    Array.isArray(results)
  );
}
