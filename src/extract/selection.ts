import type { Path } from "../core/path.ts";
import { type ByteRange, findPath, lineMember, spanText } from "./raw.ts";

/** Which part of what the data field holds is a record, where it is not plainly that (contract C-13.3, C-13.4). */
export interface Selection {
  /** The values of a map's members are the elements. */
  readonly values: boolean;
  /** With `values`: the column that the key of each goes into. */
  readonly key: string | undefined;
  /** The record stands here in each element. */
  readonly each: Path | undefined;
}

/** What records were taken out of, as they came. */
export interface ElementOrigin {
  /** JSON text of each record's key; empty where none is wanted. */
  readonly keys: readonly string[];
  /** The lines of the elements. */
  readonly lines: Buffer;
  /** The element of the last record, where that is only a part of it. */
  readonly last: Buffer | undefined;
}

/** How elements came: of a list; of an object, each as the line `"key":value`; or one value by itself. */
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
  /** Why the first element that gives no record gives none. */
  misfit: string | undefined;
  readonly #selection: Selection;
  readonly #name: string;
  #count = 0;

  /** `name`: that of the data field, for messages. */
  constructor(selection: Selection, name: string) {
    this.#selection = selection;
    this.#name = name;
  }

  /** Whole lines of elements in, whole lines of records out, in a buffer of their own: none behind a misfit. */
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

/** What was selected of neighbouring elements, as one. */
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

/** Parts of a buffer as lines, in one that is not longer than they are: lines may have to wait. */
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
