import { type Path, pathText } from "../core/values/path.ts";
import { scalarKind } from "./fault.ts";
import { openBrace } from "./json-bytes.ts";

/** Names an element for a message: `element 2 of "items" of element 3 of "data"`. `numbers`: its number on each level, from 1. */
export function elementName(name: string, each: readonly Path[], numbers: readonly number[]): string {
  const names = [name, ...each.map((path) => pathText(path) || ".")];
  return numbers
    .map((number, level) => `element ${number} of "${names[level]}"`)
    .reverse()
    .join(" of ");
}

export function nothingAt(element: string, path: Path): string {
  return `${element} has nothing at "${pathText(path)}", where "each" expects a record`;
}

/** Returns the misfit of a value where a list is expected. `first`: the first byte of the value. */
export function noListMisfit(element: string, first: number | undefined, path: Path): string {
  return `${element} has ${kindOf(first)} at "${pathText(path)}", where "each" expects a list`;
}

export function noMapMisfit(first: number | undefined, name: string): string {
  return `"${name}" is ${kindOf(first)}; with "values" it must be an object or a list`;
}

export function tooLongElement(element: string, bytes: number): string {
  return `${element} is longer than ${bytes} bytes; --max-record-bytes allows more`;
}

export function longAround(element: string, bytes: number): string {
  return `the values that paging reads from ${element} are longer than ${bytes} bytes; --max-record-bytes allows more`;
}

export function repeatedKey(element: string, name: string, bytes: number): string {
  return `${element}, which is longer than ${bytes} bytes, has the key ${JSON.stringify(name)} twice: it is unclear which records are meant`;
}

/** Returns the kind of a value by its first byte, with an article. */
function kindOf(first: number | undefined): string {
  return first === openBrace ? "an object" : `a ${scalarKind(first)}`;
}
