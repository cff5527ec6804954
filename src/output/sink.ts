import type { Writable } from "node:stream";
import type { Lines } from "../core/runs/lines.ts";

/** Number of bytes written so far, by file name. Empty if the output is a stream. */
export type FileLengths = Readonly<Record<string, number>>;

/**
 * A place between lines that travels with them to the sink. The sink calls `reached` when it has taken all lines before the mark,
 * and takes the next lines when the promise has resolved. `lengths`: the lengths of the files at this place. Until `Sink.sync`
 * has resolved, a file on the disk may be shorter.
 */
export interface Mark {
  reached(lengths: FileLengths): Promise<void>;
}

/** The target of a run's lines: a Writable that takes `Lines` and `Mark`, with functions that end the output. */
export interface Sink {
  readonly stream: Writable;
  /** Number of lines that the sink has taken, without those that a failed write has lost. */
  records(): number;
  /** Number of bytes that these lines take in the output. Absent for files. */
  bytes?(): number;
  /** Resolves when all lines taken so far would survive a loss of power. Does nothing for a stream. */
  sync(): Promise<void>;
  /**
   * Ends the output of a run that succeeded. Files get their names; with `isSuspect`, they become suspect files beside the
   * existing files. Resolves with the paths of the suspect files. Rejects with SpileError `output`.
   */
  commit(options: { readonly isSuspect: boolean }): Promise<readonly string[]>;
  /** Ends the output of a run that failed. Removes unfinished files, or closes them if they are kept. Never rejects. */
  discard(): Promise<void>;
}

/** Unfinished files that are kept after the run, so that a later run can continue them. */
export interface KeptFiles {
  /** Part of the files' names that distinguishes them from the unfinished files of other states. */
  readonly tag: string;
  /** Lengths at which the files are continued. Undefined to write all files from the beginning. */
  readonly lengths: FileLengths | undefined;
  /** True if nothing is left to write. Files may already have their names. */
  readonly finished: boolean;
}

export function isMark(chunk: Lines | Mark): chunk is Mark {
  return "reached" in chunk;
}
