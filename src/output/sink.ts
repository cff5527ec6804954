import type { Writable } from "node:stream";

/** Whole lines of one dataset, as they reach the output. */
export interface OutputLines {
  readonly dataset: string;
  readonly bytes: Buffer;
}

/** Where a run's lines end: a Writable of `OutputLines`, and what is done when the run is over. */
export interface Sink {
  readonly stream: Writable;
  /** The run succeeded: files get their names. Rejects with SpileError `output`. */
  commit(): Promise<void>;
  /** The run failed: unfinished files are removed. Never rejects. */
  discard(): Promise<void>;
}
