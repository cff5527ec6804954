import type { State } from "./state-file.ts";

/** Where a run finds the state that earlier ones have left, and leaves its own. */
export interface StatePlace {
  /** The name in messages about what the run begins with. */
  readonly name: string;
  /** The name in messages about the progress of an interrupted run. */
  readonly progressName: string;
  /** What the run begins with. */
  readonly before: State;
  /** Tells the unfinished files of one state from those of others. */
  readonly tag: string;
  /** Bytes of the last state that was given to `write` to be told; 0 where none was. */
  readonly weight: number;
  /** Is each state told to whoever reads the lines, the last one too where nothing is new in it? */
  readonly isTold: boolean;
  /**
   * Adds an entry to what the state holds since this run wrote it last. Returns false where the whole is to be written instead.
   * Without `durable` a loss of power may undo it. Rejects with SpileError `output`.
   */
  append(entry: string, options: { readonly durable: boolean }): Promise<boolean>;
  /**
   * Without `durable` a loss of power may bring an older one back. Returns false where the state would be told, and has more than
   * `most` bytes. Rejects with SpileError `output`.
   */
  write(state: State, options?: { readonly durable?: boolean; readonly most?: number }): Promise<boolean>;
  /** Removes the progress of a run that is not taken up, and the files that it left unfinished; answers the state without it. */
  discardProgress(): Promise<State>;
  /** Removes the unfinished files of a run that failed, in a folder or of a file. Never rejects. */
  removeUnfinished(output: string): Promise<void>;
  /** Brings the last state to where it is kept, if that was not done by `write`. Rejects with SpileError `output`. */
  flush?(): Promise<void>;
  /** Gives it up. */
  close(): void;
}
