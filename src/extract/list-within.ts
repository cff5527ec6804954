import { openBrace, openBracket } from "./json-bytes.ts";
import { elements, members, stringText } from "./raw.ts";

/** Maximum size of a record that is searched. For a longer one the search would cost more than its hint is worth. */
const maxBytes = 8 * 1024 * 1024;

/** Returns the name of the only list of two or more objects in the object on a line; undefined if there are none or several. */
export function listWithin(line: Buffer): string | undefined {
  if (line[0] !== openBrace || line.length > maxBytes) return undefined;
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
  for (const { start: elementStart } of elements(line, start)) {
    if (line[elementStart] !== openBrace) return false;
    count += 1;
  }
  return count >= 2;
}
