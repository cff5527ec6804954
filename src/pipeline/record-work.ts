import { createHash } from "node:crypto";
import type { PageSummary } from "../core/page.ts";
import { type Path, pathText } from "../core/path.ts";
import { isNumber, parseValue, scalarText, type Value } from "../core/value.ts";
import { addColumns, type Column, mapRecords, recordsOf, tagRecords, valueIn } from "../extract/records.ts";
import { compare, decimal } from "../pagination/decimal.ts";
import type { JobRun } from "./frontier.ts";
import type { Lines } from "./page.ts";
import type { JobPlan, Parent } from "./plan.ts";

/** What is done with the records of one attempt at a page, on their way from the scanner to the output. */
export interface RecordWork {
  /** Raw lines in, the lines to write out. */
  take(bytes: Buffer, records: number): readonly Lines[];
  /** For each child job, the records so far that get requests of it, without those at the given places. */
  parentsWithout(dropped: ReadonlySet<number>): readonly (readonly Parent[])[];
  /** Smallest and greatest number so far at the key that paging goes by. */
  readonly extremes: PageSummary["extremes"];
  /** Digest of the raw records so far, where those written out may be alike though the raw ones differ. */
  digest(): string | undefined;
}

export interface RecordOptions {
  /** Write `{"dataType": ..., "record": ...}`. */
  readonly tag: boolean;
  /** Each dataset goes to a file of its own. */
  readonly split: boolean;
}

/** Where nothing is to be done with a job's records, their bytes pass untouched. */
export function createRecordWork(run: JobRun, { tag, split }: RecordOptions): RecordWork {
  const { plan } = run;
  const columns = "columns" in run.start ? run.start.columns : [];
  const { filter, map, dataType } = plan;
  const { recordKey } = plan.scroll;
  const parents: PlacedParent[][] = plan.children.map(() => []);
  let collected = 0;
  let extremes: PageSummary["extremes"];
  const raw = map === undefined ? undefined : createHash("sha1");
  return {
    parentsWithout: (dropped) =>
      parents.map((placed) => placed.filter(({ place }) => !dropped.has(place)).map(({ parent }) => parent)),
    get extremes() {
      return extremes;
    },
    digest: () => raw?.copy().digest("base64"),
    take(bytes, records) {
      raw?.update(bytes);
      const filtered = filter === undefined ? bytes : mapRecords(bytes, filter);
      if (plan.children.length > 0) collect(filtered, plan, parents, collected);
      collected += records;
      if (recordKey !== undefined) extremes = extremesOf(filtered, recordKey, extremes);
      const lines = map?.(filtered, columns) ?? [{ dataset: dataType, bytes: withColumns(filtered, columns), records }];
      const tagged = tag ? lines.map((part) => ({ ...part, bytes: tagRecords(part.bytes, part.dataset) })) : lines;
      return split || tagged.length < 2 ? tagged : [together(tagged, dataType)];
    },
  };
}

/** A parent with its place among the page's records, from 0. */
interface PlacedParent {
  readonly place: number;
  readonly parent: Parent;
}

function withColumns(lines: Buffer, columns: readonly Column[]): Buffer {
  return columns.length === 0 ? lines : mapRecords(lines, (record) => addColumns(record, columns));
}

/** One piece instead of many small ones, for an output that does not tell datasets apart. */
function together(lines: readonly Lines[], dataset: string): Lines {
  const records = lines.reduce((sum, part) => sum + part.records, 0);
  return { dataset, bytes: Buffer.concat(lines.map(({ bytes }) => bytes)), records };
}

/** Keeps of each record what the jobs below need, for those whose filter takes it. */
function collect(lines: Buffer, plan: JobPlan, parents: readonly PlacedParent[][], before: number): void {
  let place = before;
  const filters = plan.children.some(({ filters }) => filters);
  for (const line of recordsOf(lines)) {
    const record = line[0] === openBrace ? line : Buffer.concat([dataKey, line, closing]);
    const parent = new Map<string, Value>();
    for (const path of plan.wanted) {
      const value = valueIn(path.length === 0 ? line : record, path);
      if (value !== undefined) parent.set(pathText(path), value);
    }
    const value = filters ? parseValue(record.toString()) : null;
    for (const [index, child] of plan.children.entries())
      if (child.accepts(value)) parents[index]?.push({ place, parent });
    place += 1;
  }
}

/** A record that is no object is one with the value as `data`, as it is written out where it gains columns. */
const dataKey = Buffer.from('{"data":');
const closing = Buffer.from("}");
const openBrace = 0x7b;

function extremesOf(lines: Buffer, key: Path, before: PageSummary["extremes"]): PageSummary["extremes"] {
  let extremes = before;
  for (const line of recordsOf(lines)) {
    const value = valueIn(line, key);
    const text = isNumber(value) || typeof value === "string" ? scalarText(value) : undefined;
    const number = decimal(text ?? "");
    if (text === undefined || number === undefined) continue;
    const { minimum = text, maximum = text } = extremes ?? {};
    extremes = {
      minimum: isLess(text, minimum) ? text : minimum,
      maximum: isLess(maximum, text) ? text : maximum,
    };
  }
  return extremes;
}

function isLess(a: string, b: string): boolean {
  const [x, y] = [decimal(a), decimal(b)];
  return x !== undefined && y !== undefined && compare(x, y) < 0;
}
