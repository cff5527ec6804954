import { isObject, type Value } from "./value.ts";

/** Object keys and zero-based array indexes, as written. The empty path is the whole document. */
export type Path = readonly string[];

/** Splits "a.b.0.c" at the delimiter. "" and the delimiter alone mean the whole document. */
export function parsePath(text: string, delimiter = "."): Path {
  return text === "" || text === delimiter ? [] : text.split(delimiter);
}

export function pathText(path: Path): string {
  return path.join(".");
}

/** Returns whether a step can be the index of an element, in its only spelling. */
export function isIndex(step: string): boolean {
  return /^(0|[1-9][0-9]*)$/.test(step);
}

/** Returns the value at a path; undefined if a step does not exist. Only own properties and canonical indexes count. */
export function valueAt(value: Value, path: Path): Value | undefined {
  let current: Value | undefined = value;
  for (const step of path) {
    if (Array.isArray(current)) current = isIndex(step) ? current[Number(step)] : undefined;
    else if (isObject(current)) current = Object.hasOwn(current, step) ? current[step] : undefined;
    else return undefined;
    if (current === undefined) return undefined;
  }
  return current;
}

/** Returns an RFC 6901 pointer: `pointerTo("/config", "jobs", 0)` is "/config/jobs/0". */
export function pointerTo(base: string, ...steps: (string | number)[]): string {
  return base + steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
