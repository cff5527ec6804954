import { printableJson } from "../core/text/printable.ts";
import { pointerTo } from "../core/values/path.ts";
import { isObject, type Value, valueText } from "../core/values/value.ts";

/** Greatest length of a line, with its indentation, for an object or a list on a single line and for a comment. */
const width = 100;

/**
 * Writes a value as JSON for people, indented by two spaces, with a comment above each member whose JSON pointer is in `comments`.
 * Numbers keep their digits. Long comments are broken into lines. Control characters are escaped.
 */
export function jsonWithComments(value: Value, comments: ReadonlyMap<string, readonly string[]> = new Map()): string {
  const commentedInside = new Set([...comments.keys()].flatMap(placesAround));
  const write = (inner: Value, pointer: string, indent: string, before: number): string => {
    const entries: readonly (readonly [key: string | number, value: Value])[] = Array.isArray(inner)
      ? inner.map((item, index) => [index, item] as const)
      : isObject(inner)
        ? Object.entries(inner)
        : [];
    if (entries.length === 0) return valueText(inner);
    const flat = oneLine(inner);
    const isUncommented = !commentedInside.has(pointer);
    if (isUncommented && flat.length + before <= width && (Array.isArray(inner) || !isDeep(inner))) return flat;
    const inside = `${indent}  `;
    const [open, close] = Array.isArray(inner) ? ["[", "]"] : ["{", "}"];
    const lines = entries.map(([key, item]) => {
      const place = pointerTo(pointer, key);
      const name = typeof key === "number" ? "" : `${JSON.stringify(key)}: `;
      const notes = (comments.get(place) ?? []).flatMap((text) => wrap(text, width - inside.length - 3));
      const above = notes.map((line) => `${inside}// ${line}\n`).join("");
      return `${above}${inside}${name}${write(item, place, inside, inside.length + name.length)}`;
    });
    return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
  };
  return printableJson(`${write(value, "", "", 0)}\n`);
}

/** Returns the pointers of the values that contain the value at a JSON pointer. */
function placesAround(pointer: string): readonly string[] {
  return [...pointer.matchAll(/\//g)].map(({ index }) => pointer.slice(0, index));
}

/** Returns whether an object contains an object that contains objects or lists: it is easier to read on several lines. */
function isDeep(value: Value): boolean {
  return (
    isObject(value) &&
    Object.values(value).some(
      (inner) => isObject(inner) && Object.values(inner).some((one) => isObject(one) || Array.isArray(one)),
    )
  );
}

function oneLine(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (!isObject(value)) return valueText(value);
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${oneLine(inner)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}
