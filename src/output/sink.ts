import type { Writable } from "node:stream";
import type { Lines } from "../core/runs/lines.ts";

/** Whole lines of one dataset, as they reach the output. */
export type OutputLines = Lines;

/** Bytes written so far, by file name; none where the output is a stream. */
export type FileLengths = Readonly<Record<string, number>>;

/**
 * A place between lines. It travels among them, so it is reached when all before it are written (to a stream, or into
 * files of the given lengths, of which `Sink.sync` sees to the rest) and none behind it; what is behind it waits.
 */
export interface Mark {
  reached(lengths: FileLengths): Promise<void>;
}

/** The end of a run's lines: a Writable of `OutputLines` and `Mark`, and what happens when the run is over. */
export interface Sink {
  readonly stream: Writable;
  /** Lines given to the stream so far whose writing has begun: those behind them go no further once it is destroyed. */
  records(): number;
  /** Bytes of the same, of a stream. */
  bytes?(): number;
  /** Resolves when every line given so far would outlast a loss of power; of a stream nothing is known. */
  sync(): Promise<void>;
  /**
   * The run succeeded: files get their names, or those of suspect files beside them. Resolves with the paths of suspect files.
   * Rejects with SpileError `output`.
   */
  commit(options: { readonly isSuspect: boolean }): Promise<readonly string[]>;
  /** The run failed: unfinished files are removed, or closed where they are kept. Never rejects. */
  discard(): Promise<void>;
}

/** Unfinished files that outlive the run, to be gone on with. */
export interface KeptFiles {
  /** Tells the unfinished files of one state from those of others. */
  readonly tag: string;
  /** The place after which to continue. Undefined: all files are written from the beginning. */
  readonly lengths: FileLengths | undefined;
  /** Nothing is left to write: files may already have their names. */
  readonly finished: boolean;
}

export function isMark(chunk: OutputLines | Mark): chunk is Mark {
  return "reached" in chunk;
}
