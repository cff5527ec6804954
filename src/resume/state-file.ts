import { readFile } from "node:fs/promises";
import { messageOf, SpileError } from "../core/errors.ts";
import { replaceFile } from "../core/pending-file.ts";
import { reasonOf } from "../core/reason.ts";
import { integer, isObject, parseValue, type Value, type ValueObject, valueText } from "../core/value.ts";
import { lastLine, ownDocument } from "./singer-state.ts";

/** What a state file holds (contract C-11.8). Keys that are not ours are kept. */
export interface State {
  /** Unix seconds of the start of the last run that got everything; 0 where there was none. */
  readonly previousStart: number;
  /** How far a run has come that has not ended well; undefined where there is none. */
  readonly progress: Value | undefined;
  readonly document: ValueObject;
}

export const noState: State = { previousStart: 0, progress: undefined, document: {} };

/** Reads a state file; one that is not there, or is empty, is the state before the first run. Rejects with SpileError `configuration`. */
export async function readState(path: string): Promise<State> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return noState;
    const message = `cannot read the state file ${path}: ${reasonOf(error)}; --state takes a file, which the first run makes`;
    throw new SpileError("configuration", message, { cause: error });
  }
  if (text.trim() === "") return noState;
  const document = parsed(text, path);
  const time = document.time ?? {};
  const previousStart = isObject(time) ? integer(time.previousStart ?? 0) : undefined;
  if (previousStart !== undefined) return { previousStart, progress: document.progress, document };
  throw new SpileError("configuration", `${path}: /time/previousStart must be a Unix time in seconds`);
}

/**
 * Replaces the state file whole; for the one process that holds its lock. At any moment, and after kill -9, it is the old
 * one or the new. Without `durable` a loss of power may bring an older one back. Rejects with SpileError `output`.
 */
export async function writeState(path: string, state: State, { durable = true } = {}): Promise<void> {
  await replaceFile(path, `${documentText(documentOf(state))}\n`, { tag: "next", durable });
}

/** What stands in a state file. */
export function documentOf({ previousStart, progress, document }: State): ValueObject {
  const { progress: _, ...others } = document;
  const time = { ...(isObject(document.time) ? document.time : {}), previousStart };
  return { ...others, time, ...(progress === undefined ? {} : { progress }) };
}

/** Texts of results, of which a run with many jobs writes the same again and again. */
const resultTexts = new WeakMap<object, string>();

function documentText(document: ValueObject): string {
  const { progress, ...others } = document;
  if (!isObject(progress) || !Array.isArray(progress.results)) return valueText(document);
  const { results, ...rest } = progress;
  const resultsText = `[${results.map(resultText).join(",")}]`;
  return `${opened(others)},"progress":${opened(rest)},"results":${resultsText}}}`;
}

/** The text of an object, which has members, without its end. */
function opened(object: ValueObject): string {
  return valueText(object).slice(0, -1);
}

function resultText(result: Value): string {
  if (!isObject(result)) return valueText(result);
  const text = resultTexts.get(result) ?? valueText(result);
  resultTexts.set(result, text);
  return text;
}

function parsed(text: string, path: string): ValueObject {
  const document = parsedText(text, path);
  if (isObject(document)) return ownDocument(document);
  throw new SpileError(
    "configuration",
    `the state file ${path} must hold an object such as {"time": {"previousStart": 1492606006}}`,
  );
}

function parsedText(text: string, path: string): Value {
  try {
    return parseValue(text);
  } catch (error) {
    try {
      return parseValue(lastLine(text));
    } catch {
      const message = `the state file ${path} is not JSON: ${messageOf(error)}`;
      throw new SpileError("configuration", message, { cause: error });
    }
  }
}
