import { openBrace, openBracket } from "./json-bytes.ts";
import { elements, members, stringText } from "./raw.ts";

/** Maximum number of bytes of a record that is searched. A longer search would cost more than the hint is worth. */
const maxBytes = 8 * 1024 * 1024;

/** Returns the name of the only list of two or more objects in the object on a line; undefined if there are none or several. */
export function listWithin(line: Buffer): string | undefined {
  const [name, ...others] = listsOf(line, 2);
  return others.length === 0 ? name : undefined;
}

/** Returns the name of the first list of objects in the object on a line; undefined if there is none. */
export function firstListWithin(line: Buffer): string | undefined {
  for (const name of listsOf(line, 1)) return name;
  return undefined;
}

/** Yields the names of the lists of at least `min` objects in the object on a line. */
function* listsOf(line: Buffer, min: number): Generator<string> {
  if (line[0] !== openBrace || line.length > maxBytes) return;
  for (const { key, value } of members(line, 0)) {
    if (line[value.start] === openBracket && objectsIn(line, value.start) >= min) yield stringText(line, key);
  }
}

/** Returns the number of elements of a list of objects; 0 for any other list. */
function objectsIn(line: Buffer, start: number): number {
  let count = 0;
  for (const { start: elementStart } of elements(line, start)) {
    if (line[elementStart] !== openBrace) return 0;
    count += 1;
  }
  return count;
}
