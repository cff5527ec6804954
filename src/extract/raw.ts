import { isZeroText } from "../core/emptiness.ts";
import type { Watched } from "../core/page.ts";
import type { Path } from "../core/path.ts";

/*
 * Reading compact JSON of known good grammar, as the scanner's lines are, by its bytes: nothing is decoded but what is
 * asked for.
 */

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

/** Part of a buffer: a value, or a key with its quotes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One member of an object. */
export interface Member {
  readonly key: Span;
  readonly value: Span;
}

/** The value at `path` in the one that begins at `start`; of a duplicate key the last counts. */
export function findPath(bytes: Buffer, path: Path, start = 0): Span | undefined {
  let at = start;
  for (const step of path) {
    const found: number | undefined =
      bytes[at] === openBrace
        ? findMember(bytes, at, step)
        : bytes[at] === openBracket
          ? findElement(bytes, at, step)
          : undefined;
    if (found === undefined) return undefined;
    at = found;
  }
  return { start: at, end: valueEnd(bytes, at) };
}

/** The members of the object that begins at `start`, in order. */
export function* members(bytes: Buffer, start: number): Generator<Member> {
  let at = start + 1;
  while (bytes[at] === quote) {
    const keyEnd = stringEnd(bytes, at);
    const end = valueEnd(bytes, keyEnd + 1);
    yield { key: { start: at, end: keyEnd }, value: { start: keyEnd + 1, end } };
    if (bytes[end] !== comma) return;
    at = end + 1;
  }
}

/** The member on a line that holds nothing else: `"key":value`, without braces. */
export function lineMember(bytes: Buffer, { start, end }: Span): Member {
  const keyEnd = stringEnd(bytes, start);
  return { key: { start, end: keyEnd }, value: { start: keyEnd + 1, end } };
}

/** The elements of the array that begins at `start`, in order. */
export function* elements(bytes: Buffer, start: number): Generator<Span> {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== closeBracket) {
    const end = valueEnd(bytes, at);
    yield { start: at, end };
    if (bytes[end] !== comma) return;
    at = end + 1;
  }
}

/** The text of a span, undecoded. */
export function spanText(bytes: Buffer, span: Span): string {
  return bytes.toString("utf8", span.start, span.end);
}

/** The text of a string or key, decoded. */
export function stringText(bytes: Buffer, span: Span): string {
  const inner = bytes.subarray(span.start + 1, span.end - 1);
  return inner.includes(backslash) ? JSON.parse(spanText(bytes, span)) : inner.toString("utf8");
}

/** Is the key `name`? */
export function isKey(bytes: Buffer, key: Span, name: string, encoded: Buffer = Buffer.from(name)): boolean {
  const inner = bytes.subarray(key.start + 1, key.end - 1);
  return inner.includes(backslash) ? stringText(bytes, key) === name : inner.equals(encoded);
}

/** A value as `PageSummary.watched` tells it. */
export function watchedAt(bytes: Buffer, span: Span): Watched {
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

/** Is the value, as written, one that says there are no records: null, false, zero or an empty string (contract C-7.2)? */
export function isNothing(text: string): boolean {
  return text === "null" || text === "false" || text === '""' || isZeroText(text);
}

/** Is the value empty for PHP: nothing, `"0"` or an empty array? */
export function isEmptyAt(bytes: Buffer, span: Span): boolean {
  // Of all empty values only zeros may be long.
  const first = bytes[span.start] ?? 0;
  if (span.end - span.start > 32 && (first < 0x2d || first > 0x39)) return false;
  const text = spanText(bytes, span);
  return isNothing(text) || text === '"0"' || text === "[]";
}

function findMember(bytes: Buffer, start: number, name: string): number | undefined {
  const encoded = Buffer.from(name);
  let found: number | undefined;
  for (const { key, value } of members(bytes, start)) if (isKey(bytes, key, name, encoded)) found = value.start;
  return found;
}

function findElement(bytes: Buffer, start: number, step: string): number | undefined {
  if (!/^(0|[1-9][0-9]*)$/.test(step)) return undefined;
  let index = Number(step);
  for (const { start: at } of elements(bytes, start)) if (index-- === 0) return at;
  return undefined;
}

/** Behind the string that begins at `start`. */
function stringEnd(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (;;) {
    const byte = bytes[at];
    if (byte === quote || byte === undefined) return at + 1;
    at += byte === backslash ? 2 : 1;
  }
}

/** Behind the value that begins at `start`. */
function valueEnd(bytes: Buffer, start: number): number {
  let at = start;
  let depth = 0;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined) return at;
    if (byte === quote) {
      at = stringEnd(bytes, at);
      if (depth === 0) return at;
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === comma && depth === 0) return at;
    at += 1;
  }
}
