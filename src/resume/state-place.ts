import type { State } from "./state-file.ts";

/** The place where a run finds the state of earlier runs, and leaves its own. */
export interface StatePlace {
  /** Name of the initial state in messages. */
  readonly name: string;
  /** Name of an interrupted run's progress in messages. */
  readonly progressName: string;
  /** The state with which the run begins. */
  readonly before: State;
  /** Distinguishes the unfinished files of one state from those of others. */
  readonly tag: string;
  /** Bytes of the last state that `write` was to report; 0 if none was. */
  readonly weight: number;
  /** Each state is reported to the reader of the lines, the last one even if nothing in it is new. */
  readonly isTold: boolean;
  /**
   * Adds an entry to what the state holds since this run last wrote it. Returns false if the whole must be written instead.
   * Without `durable` a loss of power may undo it. Rejects with SpileError `output`.
   */
  append(entry: string, options: { readonly durable: boolean }): Promise<boolean>;
  /**
   * Writes the whole state. Without `durable` a loss of power may bring an older one back. Returns false if the state is for a
   * reader and has more than `most` bytes. Rejects with SpileError `output`.
   */
  write(state: State, options?: { readonly durable?: boolean; readonly most?: number }): Promise<boolean>;
  /** Removes the progress of a run that is not resumed, and its unfinished files. Returns the state without it. */
  discardProgress(): Promise<State>;
  /** Removes the unfinished files of a failed run, in a folder or of a file. Never rejects. */
  removeUnfinished(output: string): Promise<void>;
  /** Brings the last state to where it is kept, if `write` has not done so. Rejects with SpileError `output`. */
  flush?(): Promise<void>;
  /** Releases the state. */
  close(): void;
}
