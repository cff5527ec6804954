import type { RunOptions } from "../core/run.ts";
import { tagOf } from "./identity.ts";
import { lockFile } from "./lock.ts";
import { singerPlace } from "./singer-place.ts";
import { readState, writeState } from "./state-file.ts";
import type { StatePlace } from "./state-place.ts";
import { discardProgress, removeUnfinished } from "./unfinished.ts";

/**
 * The state of a run, locked; undefined where it has none. Rejects with SpileError `temporary` where another run uses it,
 * and `configuration` where it cannot be read.
 */
export async function openStatePlace({ state: path, target }: RunOptions): Promise<StatePlace | undefined> {
  if (target.kind === "singer") return singerPlace(path, target.stream);
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
