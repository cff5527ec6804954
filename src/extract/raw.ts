import type { Watched } from "../core/runs/page.ts";
import { isZeroText } from "../core/values/emptiness.ts";
import { isIndex, type Path } from "../core/values/path.ts";
import {
  backslash,
  closeBrace,
  closeBracket,
  closes,
  comma,
  lineFeed,
  marks,
  openBrace,
  openBracket,
  opens,
  quote,
  quotes,
} from "./json-bytes.ts";

/* These functions read the bytes of compact JSON of valid grammar, as the scanner writes it. They decode only requested values. */

/** Part of a buffer: a value, or a key with its quotes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface Member {
  readonly key: ByteRange;
  readonly value: ByteRange;
}

/** Finds the value at `path` in the value that begins at `start`; undefined if there is none. The last of duplicate keys counts. */
export function findPath(bytes: Buffer, path: Path, start = 0): ByteRange | undefined {
  let found: ByteRange | undefined;
  let index = start;
  for (const step of path) {
    const first = bytes[index];
    found =
      first === openBrace
        ? findMember(bytes, index, step)
        : first === openBracket
          ? findElement(bytes, index, step)
          : undefined;
    if (found === undefined) return undefined;
    index = found.start;
  }
  return found ?? { start, end: valueEnd(bytes, start) };
}

/** Yields the members of the object that begins at `start`, in order. */
export function* members(bytes: Buffer, start: number): Generator<Member> {
  let index = start + 1;
  while (bytes[index] === quote) {
    const keyEnd = stringEnd(bytes, index);
    const end = valueEnd(bytes, keyEnd + 1);
    yield { key: { start: index, end: keyEnd }, value: { start: keyEnd + 1, end } };
    if (bytes[end] !== comma) return;
    index = end + 1;
  }
}

/** Returns the member on a line that holds nothing else: `"key":value`, without braces. */
export function lineMember(bytes: Buffer, { start, end }: ByteRange): Member {
  const keyEnd = stringEnd(bytes, start);
  return { key: { start, end: keyEnd }, value: { start: keyEnd + 1, end } };
}

/** Yields the elements of the array that begins at `start`, in order. */
export function* elements(bytes: Buffer, start: number): Generator<ByteRange> {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== closeBracket) {
    const end = valueEnd(bytes, index);
    yield { start: index, end };
    if (bytes[end] !== comma) return;
    index = end + 1;
  }
}

/** Returns the text of a span as written. */
export function spanText(bytes: Buffer, span: ByteRange): string {
  return bytes.toString("utf8", span.start, span.end);
}

/** Returns the decoded text of a string or key. */
export function stringText(bytes: Buffer, span: ByteRange): string {
  const inner = bytes.subarray(span.start + 1, span.end - 1);
  return inner.includes(backslash) ? JSON.parse(spanText(bytes, span)) : inner.toString("utf8");
}

/** Returns whether the key is `name`. `encoded`: the name in UTF-8. */
export function isKey(bytes: Buffer, key: ByteRange, name: string, encoded: Buffer = Buffer.from(name)): boolean {
  let offset = key.start + 1;
  for (let index = 0; offset < key.end - 1; offset += 1, index += 1) {
    const byte = bytes[offset];
    // A key with an escape is decoded and compared as a whole.
    if (byte === backslash) return stringText(bytes, key) === name;
    if (byte !== encoded[index]) return false;
  }
  return offset - key.start - 1 === encoded.length;
}

/** Returns a value in the form in which a page's summary contains watched values. */
export function watchedAt(bytes: Buffer, span: ByteRange): Watched {
  const length = span.end - span.start;
  switch (bytes[span.start]) {
    case openBrace:
      return { type: "object", text: spanText(bytes, span), empty: length === 2 };
    case openBracket:
      return { type: "array", text: spanText(bytes, span), empty: length === 2 };
    case quote:
      return { type: "string", text: stringText(bytes, span), empty: length === 2 };
    default:
      return scalar(spanText(bytes, span));
  }
}

function scalar(text: string): Watched {
  const type = text === "null" ? "null" : text === "true" || text === "false" ? "boolean" : "number";
  return { type, text, empty: false };
}

/** Returns whether the value, as written, means "no records": null, false, zero or an empty string (contract C-7.2). */
export function isNothing(text: string): boolean {
  return text === "null" || text === "false" || text === '""' || isZeroText(text);
}

/** Returns whether the value is empty in PHP: null, false, zero, `""`, `"0"` or `[]`. */
export function isEmptyAt(bytes: Buffer, span: ByteRange): boolean {
  // A long value can only be empty if it is a number such as 0.000.
  const first = bytes[span.start] ?? 0;
  if (span.end - span.start > 32 && (first < 0x2d || first > 0x39)) return false;
  const text = spanText(bytes, span);
  return isNothing(text) || text === '"0"' || text === "[]";
}

function findMember(bytes: Buffer, start: number, name: string): ByteRange | undefined {
  const encoded = Buffer.from(name);
  let found: ByteRange | undefined;
  for (const { key, value } of members(bytes, start)) if (isKey(bytes, key, name, encoded)) found = value;
  return found;
}

function findElement(bytes: Buffer, start: number, step: string): ByteRange | undefined {
  if (!isIndex(step)) return undefined;
  let index = Number(step);
  for (const element of elements(bytes, start)) if (index-- === 0) return element;
  return undefined;
}

/** Returns the index after the string that begins at `start`. */
function stringEnd(bytes: Buffer, start: number): number {
  let index = start + 1;
  for (;;) {
    const byte = bytes[index];
    if (byte === quote || byte === undefined) return index + 1;
    index += byte === backslash ? 2 : 1;
  }
}

/** Returns the index after the value that begins at `start`. A number or literal may also end with the line. */
function valueEnd(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === quote) return stringEnd(bytes, start);
  if (first === openBrace || first === openBracket) return containerEnd(bytes, start);
  let index = start;
  for (;;) {
    const byte = bytes[index];
    if (byte === undefined || byte === comma || byte === closeBrace || byte === closeBracket || byte === lineFeed)
      return index;
    index += 1;
  }
}

/** Returns the index after the object or array that begins at `start`. */
function containerEnd(bytes: Buffer, start: number): number {
  const { length } = bytes;
  let index = start;
  let depth = 0;
  while (index < length) {
    const what = marks[bytes[index] ?? 0];
    if (what === opens) depth += 1;
    else if (what === closes) {
      depth -= 1;
      if (depth === 0) return index + 1;
    } else if (what === quotes) {
      index += 1;
      for (let byte = bytes[index]; byte !== quote && index < length; byte = bytes[index])
        index += byte === backslash ? 2 : 1;
    }
    index += 1;
  }
  return index;
}
