import { type Path, pathText } from "../core/values/path.ts";
import { ElementStream, linesOf } from "./element-stream.ts";
import { lineFeed, openBracket } from "./json-bytes.ts";
import { firstListWithin } from "./list-within.ts";
import { elementName, noListMisfit, noMapMisfit, nothingAt, tooLongElement } from "./misfits.ts";
import { type ByteRange, elements as elementsOf, findPath, isNothing, lineMember, spanText } from "./raw.ts";

/** The rule for the records at the data field, if they are not simply the elements there (contract C-13.3, C-13.4, C-26.1). */
export interface Selection {
  /** True if the elements are the values of an object's members. */
  readonly values: boolean;
  /** With `values`: name of the column for the key of each member. */
  readonly key: string | undefined;
  /**
   * Paths to the records in each element. Every path but the last leads to a list, and the next path starts from each element
   * of that list. Undefined if the element itself is the record.
   */
  readonly each: readonly Path[] | undefined;
}

/** Returns whether the records are in lists inside the elements. */
export function hasInnerLists(selection: Selection | undefined): boolean {
  return (selection?.each?.length ?? 0) > 1;
}

/** The elements from which records were taken, as they came. */
export interface ElementOrigin {
  /** JSON text of each record's key; empty if no key column is wanted. */
  readonly keys: readonly string[];
  /** The lines of the elements, or a part of one. */
  readonly lines: Buffer;
  /**
   * If records are parts of elements, the last element that has ended. If it came in pieces, it contains only its `kept` values.
   * This is a view of a buffer, which a caller must copy to keep it.
   */
  readonly last: Buffer | undefined;
}

/** The value whose elements are read: a list, an object (each member is the line `"key":value`), or a single value. */
export type ElementSource = "records" | "members" | "record";

export interface Selected {
  readonly bytes: Buffer;
  readonly records: number;
  /** Number of elements from which the records were taken. Paging counts these. */
  readonly elements: number;
  readonly origin: ElementOrigin;
}

/** Remarks on the elements of a response. */
export interface SelectionRemarks {
  /** A warning for the user about the path of `each`. */
  readonly notice: string | undefined;
  /** Name of the first list of objects in an element, if no element has a list at the path of `each`. */
  readonly elsewhere: string | undefined;
}

/** Options for reading elements that come in pieces. */
export interface StreamingOptions {
  /** True if the elements are members of an object. */
  readonly isMember: boolean;
  /** Paths in each element that are read besides the records. */
  readonly kept: readonly Path[];
  /** Number of bytes above which an element comes in pieces. */
  readonly above: number;
}

/** Makes records of the elements of one response, which must come in order. */
export class Selector implements SelectionRemarks {
  /** The reason why the first element without a record has none. */
  misfit: string | undefined;
  readonly #selection: Selection;
  readonly #name: string;
  readonly #maxElementBytes: number;
  /** The element that comes in pieces. */
  #stream: ElementStream | undefined;
  #count = 0;
  #hasList = false;
  #isList = false;
  #elsewhere: string | undefined;

  /** `name`: the data field's name, for messages. `maxElementBytes`: maximum number of bytes of an innermost element. */
  constructor(selection: Selection, name: string, maxElementBytes: number) {
    this.#selection = selection;
    this.#name = name;
    this.#maxElementBytes = maxElementBytes;
  }

  /** True between the first piece of an element and its end. */
  get isStreaming(): boolean {
    return this.#stream !== undefined;
  }

  /** True if the element that comes in pieces exceeds a limit. `misfit` then says which. */
  get isOverLimit(): boolean {
    return this.#stream?.isOverLimit === true;
  }

  get elsewhere(): string | undefined {
    return this.#hasList ? undefined : this.#elsewhere;
  }

  get notice(): string | undefined {
    const [path = [], ...further] = this.#selection.each ?? [];
    if (this.#isList) {
      return `"${pathText(path)}" of each element of "${this.#name}" is a list, which counts as one record; "each": ${stepsText([...path, "*"])} makes a record of each of its elements`;
    }
    return further.length > 0 && this.#count > 0 && !this.#hasList
      ? `no element of "${this.#name}" has a list at "${pathText(path)}"`
      : undefined;
  }

  /** Converts whole lines of elements to whole lines of records, in a buffer of their own. Stops at the first misfit. */
  select(lines: Buffer, source: ElementSource): Selected {
    const { values, key, each } = this.#selection;
    const before = this.#count;
    const spans: ByteRange[] = [];
    const keys: string[] = [];
    let last: ByteRange | undefined;
    if (values && source === "record" && lines.length > 0) this.misfit ??= noMapMisfit(lines[0], this.#name);
    for (let start = 0; start < lines.length && this.misfit === undefined; ) {
      const end = lines.indexOf(lineFeed, start);
      const member = source === "members" ? lineMember(lines, { start, end }) : undefined;
      const element = member?.value ?? { start, end };
      this.#count += 1;
      const found = spans.length;
      if (each === undefined) spans.push(element);
      else this.#take(lines, each, element.start, [this.#count], spans);
      if (key !== undefined && found < spans.length) {
        const text = member === undefined ? `"${this.#count - 1}"` : spanText(lines, member.key);
        for (let index = found; index < spans.length; index += 1) keys.push(text);
      }
      if (this.misfit === undefined) last = element;
      start = end + 1;
    }
    const lastElement = each === undefined || last === undefined ? undefined : lines.subarray(last.start, last.end);
    return {
      bytes: linesOf(lines, spans),
      records: spans.length,
      elements: this.#count - before,
      origin: { keys, lines, last: lastElement },
    };
  }

  /** Takes a piece of an element, cut between characters, and returns the records that end in it. */
  takePiece(piece: Buffer, { isMember, kept, above }: StreamingOptions): Selected {
    const { each = [], key } = this.#selection;
    if (this.#stream === undefined) this.#count += 1;
    this.#stream ??= new ElementStream({
      name: this.#name,
      each,
      number: this.#count,
      isMember,
      kept,
      maxBytes: this.#maxElementBytes,
      streamedAbove: above,
    });
    if (this.misfit !== undefined) return { ...noRecords, origin: { keys: [], lines: piece, last: undefined } };
    const finished = this.#stream.write(piece);
    this.misfit = this.#stream.misfit;
    if (this.#stream.hasList) this.#hasList = true;
    const text = this.#stream.key ?? `"${this.#count - 1}"`;
    const keys = key === undefined ? [] : Array.from({ length: finished.records }, () => text);
    return { ...finished, elements: 0, origin: { keys, lines: piece, last: undefined } };
  }

  /** Ends the element that came in pieces. `line`: the element with only the values that are read from it; undefined if it has a misfit. */
  endPieces(): { readonly line: Buffer | undefined; readonly selected: Selected } {
    const line = this.#stream?.end();
    const key = this.#stream?.key;
    this.misfit ??= this.#stream?.misfit;
    this.#stream = undefined;
    const last = key === undefined ? line : line?.subarray(Buffer.byteLength(key) + 1);
    return { line, selected: { ...noRecords, elements: 1, origin: { keys: [], lines: Buffer.from("\n"), last } } };
  }

  /** Adds the records at `paths` in the value that begins at `start`. `numbers`: the element's number on each level. */
  #take(bytes: Buffer, paths: readonly Path[], start: number, numbers: readonly number[], spans: ByteRange[]): void {
    const [path = [], ...further] = paths;
    const found = findPath(bytes, path, start);
    if (further.length === 0) {
      if (found === undefined) this.misfit = nothingAt(this.#element(numbers), path);
      else {
        if (numbers.length === 1 && bytes[found.start] === openBracket) this.#isList = true;
        spans.push(found);
      }
      return;
    }
    if (found === undefined) {
      if (!this.#hasList) this.#elsewhere ??= this.#listIn(bytes, start);
      return;
    }
    this.#hasList = true;
    if (bytes[found.start] !== openBracket) {
      const text = spanText(bytes, found);
      if (!isNothing(text)) this.misfit = noListMisfit(this.#element(numbers), bytes[found.start], path);
      return;
    }
    let number = 0;
    for (const element of elementsOf(bytes, found.start)) {
      number += 1;
      if (further.length === 1 && element.end - element.start > this.#maxElementBytes)
        this.misfit = tooLongElement(this.#element([...numbers, number]), this.#maxElementBytes);
      else this.#take(bytes, further, element.start, [...numbers, number], spans);
      if (this.misfit !== undefined) return;
    }
  }

  #listIn(bytes: Buffer, start: number): string | undefined {
    const { end } = findPath(bytes, [], start) ?? { end: start };
    return firstListWithin(bytes.subarray(start, end));
  }

  #element(numbers: readonly number[]): string {
    return elementName(this.#name, this.#selection.each ?? [], numbers);
  }
}

const noRecords = { bytes: Buffer.alloc(0), records: 0, elements: 0 };

/** Joins the selections of neighbouring elements. */
export function mergeSelections(parts: readonly Selected[]): Selected {
  return {
    bytes: Buffer.concat(parts.map(({ bytes }) => bytes)),
    records: parts.reduce((sum, { records }) => sum + records, 0),
    elements: parts.reduce((sum, { elements }) => sum + elements, 0),
    origin: {
      keys: parts.flatMap(({ origin }) => origin.keys),
      lines: Buffer.concat(parts.map(({ origin }) => origin.lines)),
      last: parts.findLast(({ origin }) => origin.last !== undefined)?.origin.last,
    },
  };
}

/** Returns the steps of `each` as a configuration writes them. */
export function stepsText(steps: readonly string[]): string {
  return `[${steps.map((step) => JSON.stringify(step)).join(", ")}]`;
}
