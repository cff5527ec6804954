import type { Path } from "../core/path.ts";
import { type ByteRange, findPath, lineMember, spanText } from "./raw.ts";

/**
 * Which part of the value at the data field is a record, if it is not simply each element (contract C-13.3, C-13.4).
 */
export interface Selection {
  /** The values of an object's members are the elements. */
  readonly values: boolean;
  /** With `values`: the column for each member's key. */
  readonly key: string | undefined;
  /** Path of the record in each element. */
  readonly each: Path | undefined;
}

/** The elements that records were taken from, as they came. */
export interface ElementOrigin {
  /** JSON text of each record's key; empty if no key column is wanted. */
  readonly keys: readonly string[];
  /** The lines of the elements. */
  readonly lines: Buffer;
  /** The element of the last record, if the record is only a part of it. */
  readonly last: Buffer | undefined;
}

/** The source of elements: a list; an object, each member as the line `"key":value`; or one value by itself. */
export type Elements = "records" | "members" | "record";

export interface Selected {
  readonly bytes: Buffer;
  readonly records: number;
  readonly origin: ElementOrigin;
}

const lineFeed = 0x0a;
const quote = 0x22;

/** Makes records of the elements of one response, given in order. */
export class Selector {
  /** The reason why the first element without a record has none. */
  misfit: string | undefined;
  readonly #selection: Selection;
  readonly #name: string;
  #count = 0;

  /** `name`: the data field's name, for messages. */
  constructor(selection: Selection, name: string) {
    this.#selection = selection;
    this.#name = name;
  }

  /** Turns whole lines of elements into whole lines of records, in a buffer of their own. Stops at the first misfit. */
  select(lines: Buffer, elements: Elements): Selected {
    const { values, key, each } = this.#selection;
    const spans: ByteRange[] = [];
    const keys: string[] = [];
    let last: ByteRange | undefined;
    if (values && elements === "record" && lines.length > 0) this.misfit ??= noMap(lines[0], this.#name);
    for (let start = 0; start < lines.length && this.misfit === undefined; ) {
      const end = lines.indexOf(lineFeed, start);
      const member = elements === "members" ? lineMember(lines, { start, end }) : undefined;
      const element = member?.value ?? { start, end };
      this.#count += 1;
      const record = this.#recordIn(lines, element);
      if (record === undefined) break;
      spans.push(record);
      if (key !== undefined) keys.push(member === undefined ? `"${this.#count - 1}"` : spanText(lines, member.key));
      last = element;
      start = end + 1;
    }
    if (last === undefined) return { bytes: Buffer.alloc(0), records: 0, origin: { keys, lines, last: undefined } };
    const whole = each === undefined ? undefined : Buffer.from(lines.subarray(last.start, last.end));
    return { bytes: linesOf(lines, spans), records: spans.length, origin: { keys, lines, last: whole } };
  }

  #recordIn(lines: Buffer, element: ByteRange): ByteRange | undefined {
    const { each } = this.#selection;
    const found = each === undefined ? element : findPath(lines, each, element.start);
    if (found !== undefined) return found;
    this.misfit = `element ${this.#count} of "${this.#name}" has nothing at "${each?.join(".")}", where "each" says that its record stands`;
    return undefined;
  }
}

/** Joins the selections of neighbouring elements. */
export function together(parts: readonly Selected[]): Selected {
  return {
    bytes: Buffer.concat(parts.map(({ bytes }) => bytes)),
    records: parts.reduce((sum, { records }) => sum + records, 0),
    origin: {
      keys: parts.flatMap(({ origin }) => origin.keys),
      lines: Buffer.concat(parts.map(({ origin }) => origin.lines)),
      last: parts.findLast(({ records }) => records > 0)?.origin.last,
    },
  };
}

/** Copies parts of a buffer as lines into one that is no longer than they are: the lines may wait for long. */
function linesOf(bytes: Buffer, spans: readonly ByteRange[]): Buffer {
  const size = spans.reduce((sum, { start, end }) => sum + end - start + 1, 0);
  const result = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const { start, end } of spans) {
    at += bytes.copy(result, at, start, end);
    result[at] = lineFeed;
    at += 1;
  }
  return result;
}

function noMap(first: number | undefined, name: string): string {
  const kind = first === quote ? "string" : first === 0x74 || first === 0x66 ? "boolean" : "number";
  return `"${name}" is a ${kind}; with "values" it is to be an object, or a list`;
}
