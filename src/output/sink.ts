import type { Writable } from "node:stream";
import type { Lines } from "../core/runs/lines.ts";

/** Whole lines of one dataset, in the form in which they reach the output. */
export type OutputLines = Lines;

/** Number of bytes written so far, by file name. Empty if the output is a stream. */
export type FileLengths = Readonly<Record<string, number>>;

/**
 * A place between lines, which passes through the output among them. `reached` is called when all lines before it were written.
 * The lines after it wait until then. `lengths` are the lengths of the files at this place; `Sink.sync` flushes them to the
 * disk.
 */
export interface Mark {
  reached(lengths: FileLengths): Promise<void>;
}

/** The target of a run's lines: a Writable that takes `OutputLines` and `Mark`, with functions that end the output. */
export interface Sink {
  readonly stream: Writable;
  /** Number of lines whose writing has begun. If the stream is destroyed, later lines are lost. */
  records(): number;
  /** Number of bytes of these lines. Absent for files. */
  bytes?(): number;
  /** Resolves when all lines given so far would survive a loss of power. For a stream it promises nothing. */
  sync(): Promise<void>;
  /**
   * Ends the output of a run that succeeded. Files get their names, or become suspect files beside the existing ones. Resolves
   * with the paths of suspect files. Rejects with SpileError `output`.
   */
  commit(options: { readonly isSuspect: boolean }): Promise<readonly string[]>;
  /** Ends the output of a run that failed. Removes unfinished files, or closes them if they are kept. Never rejects. */
  discard(): Promise<void>;
}

/** Unfinished files that are kept after the run, so that a later run can continue them. */
export interface KeptFiles {
  /** Part of the files' names that distinguishes them from the unfinished files of other states. */
  readonly tag: string;
  /** Lengths from which the files are continued. Undefined to write all files from the beginning. */
  readonly lengths: FileLengths | undefined;
  /** True if nothing is left to write. Files may already have their names. */
  readonly finished: boolean;
}

export function isMark(chunk: OutputLines | Mark): chunk is Mark {
  return "reached" in chunk;
}
