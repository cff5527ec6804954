import type { RunOptions } from "../core/run.ts";
import { tagOf } from "./identity.ts";
import { lockFile } from "./lock.ts";
import { readState, type State, writeState } from "./state-file.ts";
import { discardProgress, removeUnfinished } from "./unfinished.ts";

/** Where a run finds the state that earlier ones have left, and leaves its own. */
export interface StatePlace {
  /** How messages call it. */
  readonly name: string;
  /** What the run begins with. */
  readonly before: State;
  /** Tells the unfinished files of one state from those of others. */
  readonly tag: string;
  /** Is each state told to whoever reads the lines, the last one too where nothing is new in it? */
  readonly isTold: boolean;
  /** Without `durable` a loss of power may bring an older one back. Rejects with SpileError `output`. */
  write(state: State, options?: { readonly durable?: boolean }): Promise<void>;
  /** Removes the progress of a run that is not taken up, and the files that it left unfinished; answers the state without it. */
  discardProgress(): Promise<State>;
  /** Removes the unfinished files of a run that failed, in a folder or of a file. Never rejects. */
  removeUnfinished(output: string): Promise<void>;
  /** Gives it up. */
  close(): void;
}

/**
 * The state of a run, locked; undefined where it has none. Rejects with SpileError `temporary` where another run uses it,
 * and `configuration` where it cannot be read.
 */
export async function openStatePlace({ state: path }: RunOptions): Promise<StatePlace | undefined> {
  return path === undefined ? undefined : statePlaceOf(path);
}

async function statePlaceOf(path: string): Promise<StatePlace> {
  const close = lockFile(path, "this state");
  try {
    const before = await readState(path);
    const tag = await tagOf(path);
    return {
      name: path,
      before,
      tag,
      isTold: false,
      write: (state, options) => writeState(path, state, options),
      discardProgress: () => discardProgress(path, before, tag),
      removeUnfinished: (output) => removeUnfinished(output, tag),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
