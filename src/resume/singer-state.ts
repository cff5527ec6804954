import { isObject, type ValueObject } from "../core/values/value.ts";

/** Returns a state file's document, however it was written: by a target, as a whole STATE message, or by spile itself. */
export function ownDocument(document: ValueObject): ValueObject {
  const { type, value } = document;
  const { bookmarks, progress, ...others } = type === "STATE" && isObject(value) ? value : document;
  return {
    ...(bookmarks === undefined ? {} : { incremental: bookmarks }),
    ...others,
    ...(progress === undefined || progress === null ? {} : { progress }),
  };
}

/** Returns the last line: targets write one state a line, and the last one counts. */
export function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
