import type { Watched } from "../core/runs/page.ts";
import type { Path } from "../core/values/path.ts";
import { parseValue, type Value } from "../core/values/value.ts";
import { closeBrace, lineFeed, openBrace } from "./json-bytes.ts";
import { findPath, isKey, members, spanText, stringText, watchedAt } from "./raw.ts";

/*
 * These functions work on records as they are written: each line is one compact JSON value. They copy the bytes of a record and may
 * add others; only `mapRecords` can change them. `record`: a line without its line feed.
 */

/** Yields the records of a buffer of whole lines, as views of it. */
export function* recordsOf(lines: Buffer): Generator<Buffer> {
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(lineFeed, start);
    if (end < 0) return;
    yield lines.subarray(start, end);
    start = end + 1;
  }
}

/** Replaces each record of a buffer of whole lines by the result of `change`. `place`: the record's index in the buffer, from 0. */
export function mapRecords(lines: Buffer, change: (record: Buffer, place: number) => Buffer): Buffer {
  const parts: Buffer[] = [];
  let place = 0;
  for (const record of recordsOf(lines)) parts.push(change(record, place++), newLine);
  return Buffer.concat(parts);
}

/** Returns records as lines, in a new buffer. */
export function joinLines(records: readonly Buffer[]): Buffer {
  return Buffer.concat(records.flatMap((record) => [record, newLine]));
}

/** Returns the JSON text at a path of a record, as written; undefined if nothing is there. */
export function textAt(record: Buffer, path: Path): string | undefined {
  const span = findPath(record, path);
  return span === undefined ? undefined : spanText(record, span);
}

/** Returns the value at a path of a record, with exact numbers; undefined if nothing is there. Nothing else is decoded. */
export function valueIn(record: Buffer, path: Path): Value | undefined {
  const text = textAt(record, path);
  return text === undefined ? undefined : parseValue(text);
}

/** Returns the value at a path of a record in the form of a watched value; undefined if nothing is there. */
export function watchedIn(record: Buffer, path: Path): Watched | undefined {
  const span = findPath(record, path);
  return span === undefined ? undefined : watchedAt(record, span);
}

/** A column for a record: its name, and its value as JSON text. */
export interface Column {
  readonly name: string;
  readonly json: string;
}

/** The columns to add to each record of a buffer: one list for all records, or a function of the record's index from 0. */
export type Columns = readonly Column[] | ((place: number) => readonly Column[]);

export function columnsAt(columns: Columns, place: number): readonly Column[] {
  return typeof columns === "function" ? columns(place) : columns;
}

/**
 * Appends columns to a record (contract C-11.3). A name that the record already has gets the suffix `_u0`, then `_u1`
 * and so on. A record that is not an object becomes `{"data": <record>, ...}`.
 */
export function addColumns(record: Buffer, columns: readonly Column[]): Buffer {
  if (columns.length === 0) return record;
  if (record[0] !== openBrace) return addColumns(Buffer.concat([dataKey, record, closing]), columns);
  const names = columns.map(({ name }) => name);
  const takenNames = areTaken(record, names) || new Set(names).size < names.length ? namesIn(record) : undefined;
  let added = record.length > emptyObject ? "," : "";
  for (const { name, json } of columns) {
    added += `${JSON.stringify(takenNames === undefined ? name : freeName(takenNames, name))}:${json},`;
  }
  const end = Buffer.from(added);
  end[end.length - 1] = closeBrace;
  return Buffer.concat([record.subarray(0, -1), end]);
}

function areTaken(record: Buffer, names: readonly string[]): boolean {
  const columns = names.map((name) => [name, Buffer.from(name)] as const);
  for (const { key } of members(record, 0)) {
    for (const [name, encoded] of columns) if (isKey(record, key, name, encoded)) return true;
  }
  return false;
}

function namesIn(record: Buffer): Set<string> {
  return new Set([...members(record, 0)].map(({ key }) => stringText(record, key)));
}

/** Converts each line to `{"dataType":"...","record":...}`, for `--tag` (contract C-10.6). */
export function tagRecords(lines: Buffer, dataType: string): Buffer {
  const before = Buffer.from(`{"dataType":${JSON.stringify(dataType)},"record":`);
  const parts: Buffer[] = [];
  for (const record of recordsOf(lines)) parts.push(before, record, closingLine);
  return Buffer.concat(parts);
}

const newLine = Buffer.from("\n");
const dataKey = Buffer.from('{"data":');
const closing = Buffer.from("}");
/** Bytes of `{}`. */
const emptyObject = 2;
const closingLine = Buffer.from("}\n");

/** Returns a free name and marks it as taken. */
function freeName(names: Set<string>, name: string): string {
  let free = name;
  for (let count = 0; names.has(free); count += 1) free = `${name}_u${count}`;
  names.add(free);
  return free;
}
