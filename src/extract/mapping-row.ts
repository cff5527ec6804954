import { createHash } from "node:crypto";
import { shortText } from "../core/text/printable.ts";
import { parseValue, scalarText } from "../core/values/value.ts";
import { DataFault } from "./fault.ts";
import { openBrace, openBracket } from "./json-bytes.ts";
import { type ByteRange, findPath, isEmptyAt, spanText } from "./raw.ts";

/** A record of a dataset before it is mapped: a value within a raw record. */
export interface Row {
  readonly record: Buffer;
  /** Index where the value begins; undefined if the record lacks the value that a table maps. */
  readonly start: number | undefined;
  /** Parent columns and user data, as JSON text by name. */
  readonly added: ReadonlyMap<string, string>;
  /** JSON text that links the row to its parent. */
  readonly link: string | undefined;
}

/** Part of a primary key. */
export type Key =
  | { readonly kind: "column"; readonly path: readonly string[] }
  | { readonly kind: "user"; readonly source: string }
  | { readonly kind: "link" };

/** The column that links to the parent, and whether it is part of the primary key. */
export interface Link {
  readonly column: string;
  readonly isKey: boolean;
}

export function findValue({ record, start }: Row, path: readonly string[]): ByteRange | undefined {
  return start === undefined ? undefined : findPath(record, path, start);
}

/**
 * Returns whether the value that a table maps exists and is not empty. A missing or empty value makes a record only if the parent has a
 * primary key to which the record can link.
 */
export function isFilled({ record }: Row, found: ByteRange | undefined): boolean {
  return found !== undefined && !isEmptyAt(record, found);
}

/**
 * Returns the JSON text of a value for a column; "null" if it is missing. `asText`: true to convert a list or object to a string
 * that contains its JSON text, byte for byte.
 */
export function cellText({ record }: Row, found: ByteRange | undefined, asText: boolean): string {
  if (found === undefined) return "null";
  const text = spanText(record, found);
  return asText && isContainer(text) ? JSON.stringify(text) : text;
}

/**
 * Returns the JSON text by which the records of a table link to this record: its primary key, or a digest of the record if
 * `keys` is empty. Throws DataFault if the primary key contains a list or an object.
 */
export function keyText(row: Row, keys: readonly Key[]): string {
  const [only, ...more] = keys.map((key) => partText(row, key));
  if (only === undefined) return JSON.stringify(digest(row));
  return more.length === 0 ? only : JSON.stringify([only, ...more].map(keyPart).join(","));
}

/** Returns a mapped record as a line. */
export function rowText(cells: ReadonlyMap<string, string>): string {
  let text = "";
  for (const [name, json] of cells) text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${json}`;
  return `{${text}}\n`;
}

function partText(row: Row, key: Key): string {
  const text =
    key.kind === "link"
      ? (row.link ?? "null")
      : key.kind === "user"
        ? (row.added.get(key.source) ?? "null")
        : cellText(row, findValue(row, key.path), false);
  if (!isContainer(text)) return text;
  throw new DataFault(`"mappings": a primary key takes strings, numbers and booleans, not ${shortText(text, 100)}`);
}

function keyPart(text: string): string {
  return scalarText(parseValue(text)) ?? "";
}

function digest(row: Row): string {
  const hash = createHash("md5").update(cellText(row, findValue(row, []), false));
  for (const [name, json] of row.added) hash.update(`\n${JSON.stringify(name)}:${json}`);
  return hash.digest("hex");
}

function isContainer(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === openBrace || first === openBracket;
}
