import type { Watched } from "../core/runs/page.ts";
import { isIndex, type Path } from "../core/values/path.ts";
import { DataFault } from "./fault.ts";
import type { WatchedWithin } from "./interest.ts";
import { findPath, isKey, lineMember, watchedAt } from "./raw.ts";
import { recordsOf } from "./records.ts";
import type { ElementSource } from "./selection.ts";

/** A watched path that leads into a record: the index of the record's line, the path in the record, and the key in the summary. */
interface Within {
  readonly line: number;
  readonly path: Path;
  readonly key: string;
}

/** Reads watched values inside records from their lines, which must come in order. */
export type WatchLines = (bytes: Buffer, records: number) => void;

/**
 * Creates the reader of watched values; undefined if none is inside records. `watched`: paths from the array or object of records,
 * or from the one record. The values are added to `found`.
 */
export function watchLines(
  watched: readonly WatchedWithin[],
  place: ElementSource,
  limit: number,
  found: Map<string, Watched>,
): WatchLines | undefined {
  if (place === "members") return watchMembers(watched, limit, found);
  const places = place === "record" ? watched.map((one) => ({ line: 0, ...one })) : watched.flatMap(byIndex);
  if (places.length === 0) return undefined;
  let linesBefore = 0;
  return (bytes, records) => {
    for (const { line, path, key } of places) {
      if (line < linesBefore || line >= linesBefore + records) continue;
      const value = read(lineOf(bytes, line - linesBefore), path, limit);
      if (value !== undefined) found.set(key, value);
    }
    linesBefore += records;
  };
}

/** Watches the members of an object. A path to the object itself is not inside a record. */
function watchMembers(
  watched: readonly WatchedWithin[],
  limit: number,
  found: Map<string, Watched>,
): WatchLines | undefined {
  const places = watched.flatMap(({ path: [name, ...path], key }) => (name === undefined ? [] : [{ name, path, key }]));
  if (places.length === 0) return undefined;
  return (bytes) => {
    for (const line of recordsOf(bytes)) {
      const member = lineMember(line, { start: 0, end: line.length });
      for (const { name, path, key } of places) {
        if (!isKey(line, member.key, name)) continue;
        // The last of duplicate keys counts.
        found.delete(key);
        const value = read(line.subarray(member.value.start), path, limit);
        if (value !== undefined) found.set(key, value);
      }
    }
  };
}

/** Returns the place of a watched path inside an element of an array; none for a path to the array itself. */
function byIndex({ path: [index, ...path], key }: WatchedWithin): Within[] {
  return index !== undefined && isIndex(index) ? [{ line: Number(index), path, key }] : [];
}

function lineOf(bytes: Buffer, line: number): Buffer {
  let start = 0;
  for (let skip = line; skip > 0; skip -= 1) start = bytes.indexOf(10, start) + 1;
  return bytes.subarray(start, bytes.indexOf(10, start));
}

function read(record: Buffer, path: Path, limit: number): Watched | undefined {
  const span = findPath(record, path);
  if (span === undefined) return undefined;
  const value = watchedAt(record, span);
  const structure = value.type === "array" || value.type === "object";
  if (structure && value.text.length > limit) return { ...value, text: "" };
  if (value.text.length > limit)
    throw new DataFault(`a value that paging reads in a record is longer than ${limit} bytes`);
  return value;
}
