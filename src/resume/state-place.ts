import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { messageOf, SpileError } from "../core/errors.ts";
import { outputError } from "../core/files/pending-file.ts";
import type { RunOptions, StateStore } from "../core/runs/run.ts";
import { isObject, parseValue, type Value, valueText } from "../core/values/value.ts";
import { removeKept } from "../output/folder-sink.ts";
import { stateMessage } from "../output/singer/messages.ts";
import { tagOf } from "./identity.ts";
import { lockFile } from "./lock.ts";
import { afterEntries, type LogEntry } from "./log-entry.ts";
import { documentOf, noState, readState, type State, stateOf, writeState } from "./state-file.ts";
import { type DocumentSeal, hasLog, StateLog } from "./state-log.ts";

/**
 * A file, a program's store or a Singer target. A run reads the state of earlier runs from it, and writes its own state to it.
 */
export interface StatePlace {
  /** Name of `before` in messages. */
  readonly name: string;
  /** Name in messages of the place with the progress of an interrupted run. */
  readonly progressName: string;
  /** The state with which the run begins. */
  readonly before: State;
  /** Part of the names of unfinished files. It distinguishes those of runs with this state from those of others. */
  readonly tag: string;
  /**
   * Length of the last state that `write` was to report, written or not; 0 before the first one, and if states are not reported.
   */
  readonly weight: number;
  /** True if each state is reported to the reader of the lines. The last state is reported even if it contains nothing new. */
  readonly isReported: boolean;
  /**
   * Adds an entry to the state that this run last wrote. Returns false if the whole state must be written instead. Without
   * `durable`, a loss of power may undo this. Rejects with SpileError `output`.
   */
  append(entry: string, options: { readonly durable: boolean }): Promise<boolean>;
  /**
   * Writes the whole state. Without `durable`, a loss of power may restore an older one. If states are reported, does not write a
   * state with more than `maxBytes` bytes, and returns false. Rejects with SpileError `output`.
   */
  write(state: State, options?: { readonly durable?: boolean; readonly maxBytes?: number }): Promise<boolean>;
  /** Removes the progress of a run that is not resumed, and the unfinished files of that run. Returns the state without progress. */
  discardProgress(): Promise<State>;
  /** Removes the unfinished files of a failed run in the folder `output`, or beside the file `output`. Never rejects. */
  removeUnfinished(output: string): Promise<void>;
  /** Stores the last state, if `write` has not done so. Rejects with SpileError `output`. */
  flush?(): Promise<void>;
  /** Releases the state. */
  close(): void;
}

/**
 * Opens and locks the state of a run; undefined for a run without one. Rejects with SpileError `temporary` if another run uses
 * its file, or a program cannot load it, `configuration` if its file cannot be read, or it is invalid, and `usage` for a
 * `--state-out` without `--state`.
 */
export async function openStatePlace(options: RunOptions): Promise<StatePlace | undefined> {
  const { state, stateOut, target, signal } = options;
  if (typeof state === "object") return storePlace(state);
  if (target.kind === "singer") return singerPlace(state, target.stream, signal);
  if (stateOut === undefined) {
    return state === undefined
      ? undefined
      : placeIn(state, async () => ({ before: await readState(state, signal), name: state }));
  }
  if (state !== undefined) return separatePlace(state, stateOut, options);
  throw new SpileError("usage", "--state-out needs --state FILE, the state that the run begins with");
}

/**
 * Opens a state that is read from one file and kept in another (`--state-out`). The second file also keeps the state with which
 * an interrupted run began, so that a resumed run begins with it, too.
 */
function separatePlace(from: string, to: string, { resume, signal }: RunOptions): Promise<StatePlace> {
  return placeIn(to, async () => {
    const existingState = await readState(to, signal);
    if (resume === true && existingState.progress !== undefined) return { before: existingState, name: to };
    return {
      before: { ...(await readState(from, signal)), progress: existingState.progress },
      name: from,
      isCopied: true,
    };
  });
}

interface Beginning extends Pick<StatePlace, "before" | "name"> {
  /** True if the run begins with the state of another file. It is copied to this place before the first request. */
  readonly isCopied?: boolean;
}

async function placeIn(path: string, begin: () => Promise<Beginning>): Promise<StatePlace> {
  const close = lockFile(path, "this state");
  try {
    const hasOldLog = await hasLog(path);
    const { before, name, isCopied = false } = await begin();
    // Moves the entries of an old log into the document. A run that ends before it has any progress would leave the log.
    if (hasOldLog) await writeState(path, await readState(path));
    const tag = await tagOf(path);
    let seal: DocumentSeal | undefined;
    let log: StateLog | undefined;
    return {
      name,
      progressName: path,
      before,
      tag,
      isReported: false,
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
        const remainingState = await discardProgress(path, before, tag);
        // The state of an earlier run may be in the file. It is replaced, so that no script takes it for the state of this run.
        if (isCopied && before.progress === undefined) await writeState(path, remainingState);
        return remainingState;
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

async function discardProgress(path: string, state: State, tag: string): Promise<State> {
  if (state.progress === undefined) return state;
  const withoutProgress = { ...state, progress: undefined };
  await writeState(path, withoutProgress);
  const { output } = isObject(state.progress) ? state.progress : {};
  if (typeof output === "string") await removeUnfinished(output, tag);
  return withoutProgress;
}

async function removeUnfinished(output: string, tag: string): Promise<void> {
  for (const folder of [output, dirname(output)]) await removeKept(folder, tag);
}

/** Name in messages for a state that is not in a file. */
const unnamedState = "the state";

/** Maximum number of entries in memory. Then the whole state is written again. */
const maxEntries = 1000;

/**
 * Opens the state that a program keeps. The state is loaded once, kept in memory, and saved once when the run has ended. Rejects
 * with SpileError `temporary` if the state cannot be loaded, and with `configuration` if it is invalid.
 */
async function storePlace(store: StateStore): Promise<StatePlace> {
  const before = stateOf(await documentIn(store), unnamedState);
  let latest: State | undefined;
  let entries: string[] = [];
  return {
    name: unnamedState,
    progressName: unnamedState,
    before,
    tag: "",
    isReported: false,
    weight: 0,
    async append(entry) {
      if (latest === undefined || entries.length >= maxEntries) return false;
      entries.push(entry);
      return true;
    },
    async write(state) {
      latest = state;
      entries = [];
      return true;
    },
    async discardProgress() {
      const withoutProgress = { ...before, progress: undefined };
      if (before.progress !== undefined) latest = withoutProgress;
      return withoutProgress;
    },
    removeUnfinished: async () => undefined,
    async flush() {
      if (latest === undefined) return;
      const document = afterEntries(documentOf(latest), entries.map(parseValue) as unknown as readonly LogEntry[]);
      latest = undefined;
      try {
        await store.save(valueText(document));
      } catch (error) {
        throw new SpileError("output", `cannot save the state: ${messageOf(error)}`, { cause: error });
      }
    },
    close: () => undefined,
  };
}

async function documentIn(store: StateStore): Promise<string> {
  let text: unknown;
  try {
    text = await store.load();
  } catch (error) {
    throw new SpileError("temporary", `cannot load the state: ${messageOf(error)}`, { cause: error });
  }
  if (text === undefined || text === null) return "";
  if (typeof text === "string") return text;
  throw new SpileError("configuration", "cannot load the state: load() must return the text that save() received");
}

/**
 * Opens the state of a run that writes Singer messages. It is read from the file that a target has left (contract C-21.2). Each
 * new state is written in a STATE message after its records, and the target stores it: only the target knows which records are
 * safe. Rejects with SpileError `configuration` if the file cannot be read.
 */
async function singerPlace(path: string | undefined, output: Writable, signal?: AbortSignal): Promise<StatePlace> {
  const before = path === undefined ? noState : await readState(path, signal);
  let weight = 0;
  return {
    name: path ?? unnamedState,
    progressName: path ?? unnamedState,
    before,
    tag: "",
    isReported: true,
    get weight() {
      return weight;
    },
    append: async () => false,
    async write(state, { maxBytes = Number.POSITIVE_INFINITY } = {}) {
      const message = stateMessage(stateValue(state));
      weight = Buffer.byteLength(message);
      if (weight > maxBytes) return false;
      await writeText(output, message);
      return true;
    },
    discardProgress: async () => ({ ...before, progress: undefined }),
    removeUnfinished: async () => undefined,
    close: () => undefined,
  };
}

function writeText(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => (error == null ? resolve() : reject(outputError(error, "stdout"))));
  });
}

/**
 * Returns a state in the form of Singer, in which the watermarks are bookmarks. It always has the member `progress`: Meltano
 * merges states, and without the member, the progress of an earlier state would remain.
 */
function stateValue(state: State): Value {
  const { incremental = {}, progress = null, ...others } = documentOf(state);
  return { bookmarks: incremental, ...others, progress };
}
