import { SpileError } from "../core/errors.ts";
import type { RunOptions } from "../core/runs/run.ts";
import { tagOf } from "./identity.ts";
import { lockFile } from "./lock.ts";
import { singerPlace } from "./singer-place.ts";
import { readState, writeState } from "./state-file.ts";
import { type DocumentSeal, requireOwnLog, StateLog } from "./state-log.ts";
import type { StatePlace } from "./state-place.ts";
import { storePlace } from "./store-place.ts";
import { discardProgress, removeUnfinished } from "./unfinished.ts";

/**
 * Opens and locks the state of a run; undefined for a run without one. Rejects with SpileError `temporary` if another run uses
 * it, `configuration` if it cannot be read, and `usage` for a `--state-out` without `--state`.
 */
export async function openStatePlace(options: RunOptions): Promise<StatePlace | undefined> {
  const { state: path, store, stateOut, target, signal } = options;
  if (store !== undefined) return storePlace(store);
  if (target.kind === "singer") return singerPlace(path, target.stream, signal);
  if (stateOut === undefined) {
    return path === undefined
      ? undefined
      : placeIn(path, async () => ({ before: await readState(path, signal), name: path }));
  }
  if (path !== undefined) return separatePlace(path, stateOut, options);
  throw new SpileError("usage", "--state-out needs --state FILE, the state that the run begins with");
}

/**
 * Opens a state that is read from one file and kept in another (`--state-out`). An interrupted run resumes with the state with
 * which it began: the file that keeps it holds a copy.
 */
function separatePlace(from: string, to: string, { resume, signal }: RunOptions): Promise<StatePlace> {
  return placeIn(to, async () => {
    const left = await readState(to, signal);
    if (resume === true && left.progress !== undefined) return { before: left, name: to };
    return { before: { ...(await readState(from, signal)), progress: left.progress }, name: from, isCopied: true };
  });
}

interface Beginning extends Pick<StatePlace, "before" | "name"> {
  /** The run begins with the state of another file, which is copied before the first request. */
  readonly isCopied?: boolean;
}

async function placeIn(path: string, begin: () => Promise<Beginning>): Promise<StatePlace> {
  const close = lockFile(path, "this state");
  try {
    await requireOwnLog(path);
    const { before, name, isCopied = false } = await begin();
    const tag = await tagOf(path);
    let seal: DocumentSeal | undefined;
    let log: StateLog | undefined;
    return {
      name,
      progressName: path,
      before,
      tag,
      isTold: false,
      weight: 0,
      async append(entry, { durable }) {
        if (seal !== undefined) log = await StateLog.begin(path, seal);
        seal = undefined;
        return (await log?.append(entry, durable)) ?? false;
      },
      async write(state, options) {
        await log?.close();
        log = undefined;
        seal = await writeState(path, state, options);
        return true;
      },
      async discardProgress() {
        const left = await discardProgress(path, before, tag);
        // A script that moves the file into place must not find an earlier run's state there.
        if (isCopied && before.progress === undefined) await writeState(path, left);
        return left;
      },
      removeUnfinished: (output) => removeUnfinished(output, tag),
      close() {
        void log?.close();
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}
