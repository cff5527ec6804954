import { elements, members, stringText } from "./raw.ts";

const openBrace = 0x7b;
const openBracket = 0x5b;

/** A longer record is not searched: it would take longer than it is worth. */
const mostBytes = 8 * 1024 * 1024;

/** The name of the only list of two objects or more in the object on a line; undefined where there is none, or more than one. */
export function listWithin(line: Buffer): string | undefined {
  if (line[0] !== openBrace || line.length > mostBytes) return undefined;
  let found: string | undefined;
  for (const { key, value } of members(line, 0)) {
    if (line[value.start] !== openBracket || !holdsObjects(line, value.start)) continue;
    if (found !== undefined) return undefined;
    found = stringText(line, key);
  }
  return found;
}

function holdsObjects(line: Buffer, start: number): boolean {
  let count = 0;
  for (const { start: at } of elements(line, start)) {
    if (line[at] !== openBrace) return false;
    count += 1;
  }
  return count >= 2;
}
