import { messageOf, SpileError } from "../core/errors.ts";
import { replaceFile } from "../core/files/pending-file.ts";
import { readWhole } from "../core/files/read-whole.ts";
import { parseWithPartitions, withPartitions } from "../core/runs/partitions.ts";
import { reasonOf } from "../core/text/reason.ts";
import { integer, isObject, parseValue, type Value, type ValueObject, valueText } from "../core/values/value.ts";
import { afterEntries, type LogEntry } from "./log-entry.ts";
import { type DocumentSeal, readLog, removeLog, sealOf } from "./state-log.ts";

/** The content of a state file (contract C-11.8). Keys that are not spile's are kept. */
export interface State {
  /** Start of the last run that got everything, in Unix seconds; 0 if there was none. */
  readonly previousStart: number;
  /** The progress of a run that was interrupted or failed; undefined if there is none. */
  readonly progress: Value | undefined;
  readonly document: ValueObject;
}

export const noState: State = { previousStart: 0, progress: undefined, document: {} };

/**
 * Reads a state file. A missing or empty file is the state before the first run. Rejects with SpileError `configuration` if the
 * file cannot be read or its content is invalid.
 */
export async function readState(path: string, signal?: AbortSignal): Promise<State> {
  let text: string;
  try {
    text = (await readWhole(path, signal)).toString();
  } catch (error) {
    if (error === signal?.reason) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return noState;
    throw unreadable(path, error);
  }
  if (text.trim() === "") return noState;
  const name = `the state file ${path}`;
  return stateIn(await withLog(compact(parsed(text, name)), text, path), name);
}

/** Returns the state in a text. `name` is its name in messages. Throws SpileError `configuration` if the text is invalid. */
export function stateOf(text: string, name: string): State {
  return text.trim() === "" ? noState : stateIn(compact(parsed(text, name)), name);
}

function stateIn(document: ValueObject, name: string): State {
  const time = document.time ?? {};
  const previousStart = isObject(time) ? integer(time.previousStart ?? 0) : undefined;
  if (previousStart !== undefined) return { previousStart, progress: document.progress, document };
  throw new SpileError("configuration", `${name}: /time/previousStart must be a Unix time in seconds`);
}

/** Returns the document in a form in which the watermarks of parents take little memory. */
function compact(document: ValueObject): ValueObject {
  const { incremental, progress } = document;
  const watermarks = isObject(progress) ? progress.watermarks : undefined;
  return {
    ...document,
    ...(isObject(incremental) ? { incremental: withPartitions(incremental) } : {}),
    ...(isObject(progress) && isObject(watermarks)
      ? { progress: { ...progress, watermarks: withPartitions(watermarks) } }
      : {}),
  };
}

/** Adds the entries of the log to a document, if the log belongs to it. */
async function withLog(document: ValueObject, text: string, path: string): Promise<ValueObject> {
  try {
    const entries = await readLog(path, sealOf(text).digest);
    return afterEntries(document, entries.map(parseValue) as unknown as readonly LogEntry[]);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): SpileError {
  const message = `cannot read the state file ${path}: ${reasonOf(error)}; --state takes a file, which the first run creates`;
  return new SpileError("configuration", message, { cause: error });
}

/**
 * Replaces the whole state file, and removes its log. The calling process must hold the lock. At any moment, even after kill -9,
 * there is either the old file or the new one. Without `durable`, a loss of power may restore an older file. Returns the seal for
 * a new log. Rejects with SpileError `output` if the file cannot be written.
 */
export async function writeState(path: string, state: State, { durable = true } = {}): Promise<DocumentSeal> {
  const text = `${valueText(documentOf(state))}\n`;
  await replaceFile(path, text, { tag: "next", durable });
  await removeLog(path);
  return sealOf(text);
}

/** Returns the document of a state file. */
export function documentOf({ previousStart, progress, document }: State): ValueObject {
  const { progress: _, ...others } = document;
  const time = { ...(isObject(document.time) ? document.time : {}), previousStart };
  return { ...others, time, ...(progress === undefined ? {} : { progress }) };
}

function parsed(text: string, name: string): ValueObject {
  const document = parsedState(text, name);
  if (isObject(document)) return ownDocument(document);
  throw new SpileError("configuration", `${name} must hold an object such as {"time": {"previousStart": 1492606006}}`);
}

function parsedState(text: string, name: string): Value {
  try {
    return parseWithPartitions(text);
  } catch (error) {
    try {
      return parseWithPartitions(lastLine(text));
    } catch {
      const message = `${name} is not JSON: ${messageOf(error)}`;
      throw new SpileError("configuration", message, { cause: error });
    }
  }
}

/** Returns the document in spile's form. A Singer target may have stored a whole STATE message or its value. */
function ownDocument(document: ValueObject): ValueObject {
  const { type, value } = document;
  const { bookmarks, progress, ...others } = type === "STATE" && isObject(value) ? value : document;
  return {
    ...(bookmarks === undefined ? {} : { incremental: bookmarks }),
    ...others,
    ...(progress === undefined || progress === null ? {} : { progress }),
  };
}

/** Returns the last line of a text. Targets write each state on a new line, and the last one counts. */
function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
