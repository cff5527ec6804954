import type { PageSummary } from "../core/page.ts";
import { type Path, pathText } from "../core/path.ts";
import { isNumber, parseValue, scalarText, type Value } from "../core/value.ts";
import { addColumns, mapRecords, recordsOf, tagRecords, valueIn } from "../extract/records.ts";
import { compare, decimal } from "../pagination/decimal.ts";
import type { JobRun } from "./frontier.ts";
import type { Lines } from "./page.ts";
import type { JobPlan, Parent } from "./plan.ts";

/** What is done with the records of one attempt at a page, on their way from the scanner to the output. */
export interface RecordWork {
  /** Raw lines in, the lines to write out. */
  take(bytes: Buffer, records: number): readonly Lines[];
  /** For each child job, the records so far that get requests of it. */
  readonly parents: readonly (readonly Parent[])[];
  /** Smallest and greatest number so far at the key that paging goes by. */
  readonly extremes: PageSummary["extremes"];
}

/** Where nothing is to be done with a job's records, their bytes pass untouched. */
export function createRecordWork(run: JobRun, { tag }: { readonly tag: boolean }): RecordWork {
  const { plan } = run;
  const columns = "columns" in run.start ? run.start.columns : [];
  const { filter, map, dataType } = plan;
  const { recordKey } = plan.scroll;
  const parents: Parent[][] = plan.children.map(() => []);
  let extremes: PageSummary["extremes"];
  const changes = [filter, columns.length > 0 ? (record: Buffer) => addColumns(record, columns) : undefined];
  return {
    parents,
    get extremes() {
      return extremes;
    },
    take(bytes, records) {
      const [filtered, complete] = changes.reduce<[Buffer, Buffer]>(
        ([, lines], change) => [lines, change === undefined ? lines : mapRecords(lines, change)],
        [bytes, bytes],
      );
      if (plan.children.length > 0) collect(filtered, plan, parents);
      if (recordKey !== undefined) extremes = extremesOf(filtered, recordKey, extremes);
      const lines = map?.(complete) ?? [{ dataset: dataType, bytes: complete, records }];
      return tag ? lines.map((part) => ({ ...part, bytes: tagRecords(part.bytes, part.dataset) })) : lines;
    },
  };
}

/** Keeps of each record what the jobs below need, for those whose filter takes it. */
function collect(lines: Buffer, plan: JobPlan, parents: readonly Parent[][]): void {
  const filters = plan.children.some(({ filters }) => filters);
  for (const line of recordsOf(lines)) {
    const record = objectOf(line);
    const parent = new Map<string, Value>();
    for (const path of plan.wanted) {
      const value = valueIn(record, path);
      if (value !== undefined) parent.set(pathText(path), value);
    }
    const value = filters ? parseValue(record.toString()) : null;
    for (const [index, child] of plan.children.entries()) if (child.accepts(value)) parents[index]?.push(parent);
  }
}

/** A record that is no object is one with the value as `data`, as it is written out where it gains columns. */
function objectOf(line: Buffer): Buffer {
  return line[0] === 0x7b ? line : addColumns(line, [{ name: "data", json: line.toString() }]);
}

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
