import type { JobPlan, Parent } from "../../compile/plan.ts";
import { pathText } from "../../core/values/path.ts";
import { parseValue, type ValueObject } from "../../core/values/value.ts";
import { recordsOf, textAt } from "../../extract/records.ts";
import type { DroppedPlaces } from "./sieve.ts";

/** The records of a page as parents: for each child job, the values that it needs from the records that its filter accepts. */
export interface Parents {
  /** Takes the next records of the page. */
  add(lines: Buffer): void;
  /** Returns, for each child job, the records for which it runs, without the records at the given places (from 0). */
  without(dropped: DroppedPlaces): readonly Iterable<Parent>[];
}

/**
 * Collects the values as text and parses them when their turn comes. A page may have a million records. Each takes some 30 bytes
 * as text, and would take some 700 as an object.
 */
export function collectParents({ children, wantedPaths }: JobPlan): Parents {
  const packed: Buffer[][] = children.map(() => []);
  const filters = children.some(({ filters }) => filters);
  let place = 0;
  return {
    add(lines) {
      if (children.length === 0) return;
      const texts = children.map(() => "");
      for (const line of recordsOf(lines)) {
        const record = line[0] === openBrace ? line : Buffer.concat([dataKey, line, closing]);
        const value = filters ? parseValue(record.toString()) : null;
        const found = wantedPaths.map((path) => textAt(path.length === 0 ? line : record, path));
        const members = found.flatMap((text, index) => (text === undefined ? [] : [`"${index}":${text}`]));
        const parent = `[${place},{${members}}]\n`;
        for (const [index, child] of children.entries()) if (child.accepts(value)) texts[index] += parent;
        place += 1;
      }
      for (const [index, text] of texts.entries()) if (text !== "") packed[index]?.push(Buffer.from(text));
    },
    without: (dropped) =>
      packed.map((pieces) => ({ [Symbol.iterator]: () => unpack(pieces, wantedPaths.map(pathText), dropped) })),
  };
}

function* unpack(pieces: readonly Buffer[], names: readonly string[], dropped: DroppedPlaces): Generator<Parent> {
  for (const piece of pieces) {
    for (const line of recordsOf(piece)) {
      const [place, found] = parseValue(line.toString()) as [number, ValueObject];
      if (!dropped.has(place))
        yield new Map(Object.entries(found).map(([index, value]) => [names[Number(index)] ?? "", value]));
    }
  }
}

/**
 * A record that is not an object is treated as an object with the record as its member `data`. If it has columns, its line
 * already has this form.
 */
const dataKey = Buffer.from('{"data":');
const closing = Buffer.from("}");
const openBrace = 0x7b;
