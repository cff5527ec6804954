import { readFile } from "node:fs/promises";
import { messageOf, SpileError } from "../core/errors.ts";
import { replaceFile } from "../core/pending-file.ts";
import { integer, isObject, parseValue, type ValueObject, valueText } from "../core/value.ts";

/** What a state file holds (spec 11). Keys that are not ours are kept. */
export interface State {
  /** Unix seconds of the start of the last run that got everything; 0 where there was none. */
  readonly previousStart: number;
  readonly document: ValueObject;
}

const none: State = { previousStart: 0, document: {} };

/** Reads a state file; one that is not there, or is empty, is the state before the first run. Rejects with SpileError `configuration`. */
export async function readState(path: string): Promise<State> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return none;
    throw new SpileError("configuration", `cannot read the state file ${path}: ${messageOf(error)}`, { cause: error });
  }
  if (text.trim() === "") return none;
  const document = parsed(text, path);
  const time = document.time ?? {};
  const previousStart = isObject(time) ? integer(time.previousStart ?? 0) : undefined;
  if (previousStart !== undefined) return { previousStart, document };
  throw new SpileError("configuration", `${path}: /time/previousStart must be a Unix time in seconds`);
}

/** Replaces the state file whole. Rejects with SpileError `output`. */
export async function writeState(path: string, { previousStart, document }: State): Promise<void> {
  const time = isObject(document.time) ? document.time : {};
  await replaceFile(path, `${valueText({ ...document, time: { ...time, previousStart } })}\n`);
}

function parsed(text: string, path: string): ValueObject {
  try {
    const document = parseValue(text);
    if (isObject(document)) return document;
  } catch (error) {
    throw new SpileError("configuration", `the state file ${path} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  throw new SpileError(
    "configuration",
    `the state file ${path} must hold an object such as {"time": {"previousStart": 1492606006}}`,
  );
}
