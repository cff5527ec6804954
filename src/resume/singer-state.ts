import { isObject, type ValueObject } from "../core/values/value.ts";

/** A state file's document, whichever way it was written: by a target, as a whole STATE message, or by spile itself. */
export function ownDocument(document: ValueObject): ValueObject {
  const { type, value } = document;
  const { bookmarks, progress, ...others } = type === "STATE" && isObject(value) ? value : document;
  return {
    ...(bookmarks === undefined ? {} : { incremental: bookmarks }),
    ...others,
    ...(progress === undefined || progress === null ? {} : { progress }),
  };
}

/** Targets write one state a line, the last one being that to go on from. */
export function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
