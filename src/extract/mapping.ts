import type { Mapping, MappingEntry } from "../generated/configuration.ts";
import { openBracket } from "./json-bytes.ts";
import { cellText, findValue, isFilled, type Key, keyText, type Link, type Row, rowText } from "./mapping-row.ts";
import { elements } from "./raw.ts";
import { type Column, type Columns, columnsAt, recordsOf } from "./records.ts";

/** Whole lines of one dataset. */
export interface MappedLines {
  readonly dataset: string;
  readonly bytes: Buffer;
  readonly records: number;
}

/** A dataset, and the rules by which its records are made. */
interface Table {
  readonly dataset: string;
  readonly steps: readonly Step[];
  /** The primary key, which may include the link. If it is empty, a digest identifies the record. */
  readonly keys: readonly Key[];
  /** The link of the records to their parent; undefined if they have none. */
  readonly link: Link | undefined;
}

type Step =
  | { readonly kind: "column"; readonly path: readonly string[]; readonly name: string; readonly asText: boolean }
  | { readonly kind: "user"; readonly source: string; readonly name: string }
  | { readonly kind: "table"; readonly path: readonly string[]; readonly table: Table; readonly isLinked: boolean };

/** A line before it is written. */
interface Line {
  readonly dataset: string;
  readonly text: string;
}

/**
 * Compiles the mapping of a dataset (contract C-11.6) to a function. The function takes lines of raw records, and returns lines
 * of mapped records. After each record come the records of its tables. A value keeps its bytes, unless `forceType` makes a text
 * of a list or an object; a missing value becomes null.
 *
 * Unless `parentKey` disables it, a table's records link to their parent by the parent's primary key: one value, or several joined
 * with commas. If the parent has no primary key, they link to it by an MD5 digest of the parent, which the parent contains in a
 * column with the name of the table. As in Generic Extractor, a table whose value is missing has one record with nothing but the
 * link if the parent has a primary key, else no record. The function throws DataFault if a primary key contains a list or an object.
 */
export function compileMapping(
  mapping: Mapping,
  dataset: string,
): (lines: Buffer, columns: Columns) => readonly MappedLines[] {
  const table = compileTable(mapping, dataset, undefined);
  return (lines, columns) => {
    const mappedLines: Line[] = [];
    const shared = typeof columns === "function" ? undefined : addedBy(columns);
    let place = 0;
    for (const record of recordsOf(lines)) {
      const added = shared ?? addedBy(columnsAt(columns, place++));
      mapRow(table, { record, start: 0, added, link: undefined }, (line) => mappedLines.push(line));
    }
    return gather(mappedLines);
  };
}

function addedBy(columns: readonly Column[]): ReadonlyMap<string, string> {
  return new Map(columns.map(({ name, json }) => [name, json]));
}

/** Returns the datasets for which the mapping of `dataset` makes records; `dataset` comes first. */
export function mappedDatasets(mapping: Mapping, dataset: string): readonly string[] {
  const tables = Object.entries(mapping).filter(([, { type }]) => type === "table");
  const inner = tables.map(([path, { destination = path, tableMapping = {} }]) => ({ destination, tableMapping }));
  const below = inner.flatMap(({ destination, tableMapping }) =>
    destination === dataset ? [] : mappedDatasets(tableMapping, destination),
  );
  return [...new Set([dataset, ...below])];
}

function compileTable(mapping: Mapping, dataset: string, link: Link | undefined): Table {
  const steps: Step[] = [];
  const keys: Key[] = [];
  const table = { dataset, steps, keys, link };
  for (const [path, entry] of Object.entries(mapping)) {
    steps.push(compileStep(path, entry, table));
    if (entry.type !== "table" && entry.mapping?.primaryKey === true) {
      keys.push(
        entry.type === "user" ? { kind: "user", source: path } : { kind: "column", path: stepsOf(path, entry) },
      );
    }
  }
  if (link?.isKey === true) keys.push({ kind: "link" });
  return table;
}

function compileStep(path: string, entry: MappingEntry, parent: Table): Step {
  if (entry.type !== "table") {
    const name = entry.mapping?.destination ?? path;
    return entry.type === "user"
      ? { kind: "user", source: path, name }
      : { kind: "column", path: stepsOf(path, entry), name, asText: entry.forceType === true };
  }
  const { destination = path, parentKey, tableMapping = {} } = entry;
  const isLinked = parentKey?.disable !== true;
  const column = parentKey?.destination ?? `${parent.dataset}_pkey`;
  // If a table's records go to the dataset of their parent, they are mapped as the parent is.
  const table =
    destination === parent.dataset
      ? parent
      : compileTable(
          tableMapping,
          destination,
          isLinked ? { column, isKey: parentKey?.primaryKey === true } : undefined,
        );
  return { kind: "table", path: stepsOf(path, entry), table, isLinked };
}

/** Returns the steps of a path. The delimiter alone means the whole record. */
function stepsOf(path: string, { delimiter }: MappingEntry): readonly string[] {
  const by = delimiter === undefined || delimiter === "" ? "." : delimiter;
  return path === by ? [] : path.split(by);
}

function mapRow(table: Table, row: Row, add: (line: Line) => void): void {
  const { steps, keys, link } = table;
  const cells = new Map<string, string>();
  const below: (() => void)[] = [];
  for (const step of steps) {
    if (step.kind === "user") {
      cells.set(step.name, row.added.get(step.source) ?? "null");
      continue;
    }
    const found = findValue(row, step.path);
    if (step.kind === "column") {
      cells.set(step.name, cellText(row, found, step.asText));
      continue;
    }
    const inner = step.table;
    const linkName = step.isLinked && keys.length === 0 ? inner.dataset : undefined;
    if (!isFilled(row, found) && (keys.length === 0 || inner === table)) {
      if (linkName !== undefined) cells.set(linkName, "null");
      continue;
    }
    const key = inner === table || !step.isLinked ? row.link : keyText(row, keys);
    if (linkName !== undefined && key !== undefined) cells.set(linkName, key);
    below.push(() => {
      const isList = found !== undefined && row.record[found.start] === openBracket;
      for (const span of isList ? elements(row.record, found.start) : [found]) {
        mapRow(inner, { ...row, start: span?.start, link: key }, add);
      }
    });
  }
  if (link !== undefined && !cells.has(link.column)) cells.set(link.column, row.link ?? "null");
  add({ dataset: table.dataset, text: rowText(cells) });
  for (const map of below) map();
}

/** Joins neighbouring lines of one dataset. */
function gather(lines: readonly Line[]): readonly MappedLines[] {
  const result: MappedLines[] = [];
  for (let start = 0; start < lines.length; ) {
    const dataset = lines[start]?.dataset ?? "";
    let end = start;
    let text = "";
    for (let line = lines[end]; line?.dataset === dataset; line = lines[end]) {
      text += line.text;
      end += 1;
    }
    result.push({ dataset, bytes: Buffer.from(text), records: end - start });
    start = end;
  }
  return result;
}
