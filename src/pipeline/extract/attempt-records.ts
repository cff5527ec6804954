import type { JobPlan } from "../../compile/plan.ts";
import type { Lines } from "../../core/runs/lines.ts";
import { type PageSummary, type Watched, watchKey } from "../../core/runs/page.ts";
import { compare, decimal } from "../../core/values/decimal.ts";
import { createFingerprint, type Fingerprint } from "../../core/values/fingerprint.ts";
import type { Path } from "../../core/values/path.ts";
import { isNumber, scalarText } from "../../core/values/value.ts";
import { RecordKeys } from "../../extract/record-keys.ts";
import { RecordSampler } from "../../extract/record-sampler.ts";
import {
  addColumns,
  type Column,
  type Columns,
  columnsAt,
  joinLines,
  mapRecords,
  recordsOf,
  tagRecords,
  valueIn,
  watchedIn,
} from "../../extract/records.ts";
import { type ElementOrigin, hasInnerLists } from "../../extract/selection.ts";
import type { JobRun } from "../job-run.ts";
import type { ExtractOptions } from "./options.ts";
import { collectParents, type Parents } from "./parents.ts";
import { type WatermarkReader, watermarkReader } from "./watermark-reader.ts";

/**
 * Processes the records of one attempt at a page, on their way from the scanner to the output. If a job does not change its
 * records, their bytes pass untouched.
 */
export class AttemptRecords {
  /** The records so far, for the child jobs. */
  readonly parents: Parents;
  /** Smallest and greatest number so far in the field of the records that paging uses. */
  extremes: PageSummary["extremes"];
  /** Reader of the job's increment, if the increment has a path. */
  readonly watermark: WatermarkReader | undefined;
  readonly #plan: JobPlan;
  readonly #receivedAt: number;
  readonly #columns: readonly Column[];
  readonly #options: ExtractOptions;
  readonly #raw: Fingerprint | undefined;
  readonly #sampler: RecordSampler | undefined;
  readonly #keys: RecordKeys | undefined;
  #lastLine: Buffer | undefined;

  /** `receivedAt`: the time at which the answer came. */
  constructor({ plan, start }: JobRun, receivedAt: number, options: ExtractOptions) {
    this.#plan = plan;
    this.#receivedAt = receivedAt;
    this.#columns = "columns" in start ? start.columns : [];
    this.#options = options;
    this.parents = collectParents(plan);
    const increment = "increment" in start ? (start.increment ?? plan.increment) : plan.increment;
    this.watermark = watermarkReader(increment, plan, options.unique !== undefined);
    // Columns may contain the window. The lines of equal records of two windows would then differ.
    const isWindowed = "window" in start && start.window !== undefined;
    const isSelected = plan.selection !== undefined || (plan.unwritten?.size ?? 0) > 0;
    const isAltered = plan.map !== undefined || isSelected || isWindowed || plan.increment?.filters === true;
    this.#sampler = plan.scroll.sampled ? new RecordSampler() : undefined;
    this.#keys = plan.scroll.probes ? new RecordKeys() : undefined;
    this.#raw = isAltered ? createFingerprint(options.fingerprintKey) : undefined;
  }

  /**
   * Takes raw lines and returns the lines to write. `origin`: the elements from which the records were selected; some may have
   * given no record.
   */
  take(bytes: Buffer, records: number, origin?: ElementOrigin): readonly Lines[] {
    const { filter, map, dataType, children, scroll, unwritten } = this.#plan;
    const { tag, split } = this.#options;
    // The caller may reuse its buffer, so the record is copied.
    if (scroll.lastRecord.length > 0) {
      const isPart = this.#plan.selection?.each !== undefined;
      const last = isPart && origin !== undefined ? origin.last : bytes.subarray(bytes.lastIndexOf(10, -2) + 1, -1);
      if (last !== undefined) this.#lastLine = Buffer.from(last);
    }
    this.#raw?.update(origin?.lines ?? bytes);
    // The key of an object's member is part of its identity.
    const isMember = this.#plan.selection?.values === true && !hasInnerLists(this.#plan.selection);
    this.#sampler?.take(isMember ? (origin?.lines ?? bytes) : bytes, records);
    if (records === 0) return [];
    this.#keys?.take(bytes);
    const all = filter === undefined ? bytes : mapRecords(bytes, filter);
    if (scroll.recordKey !== undefined) this.extremes = extremesOf(all, scroll.recordKey, this.extremes);
    const wantedFlags = this.watermark?.add(bytes);
    const count = wantedFlags === undefined ? records : wantedFlags.filter(Boolean).length;
    if (count === 0) return [];
    const filtered = wantedFlags === undefined ? all : wantedLines(all, wantedFlags);
    const keyed = keyColumns(this.#plan, origin, wantedFlags);
    this.parents.add(children.length === 0 ? filtered : withColumns(filtered, keyed));
    const columns = joinColumns(keyed, this.#columns);
    const changedLines = map?.(filtered, columns) ?? [
      { dataset: dataType, bytes: withColumns(filtered, columns), records: count },
    ];
    const lines =
      unwritten === undefined ? changedLines : changedLines.filter(({ dataset }) => !unwritten.has(dataset));
    const tagged = tag ? lines.map((chunk) => ({ ...chunk, bytes: tagRecords(chunk.bytes, chunk.dataset) })) : lines;
    if (split) return tagged.map((chunk): Lines => ({ ...chunk, time: this.#receivedAt }));
    return tagged.length < 2 ? tagged : [joinPieces(tagged, dataType)];
  }

  /** Returns the values that paging needs from the last raw record so far. */
  last(): PageSummary["last"] {
    return valuesOf(this.#lastLine, this.#plan.scroll.lastRecord);
  }

  /** Returns the keys that identify the records, if paging needs them after a short page. */
  keys(): PageSummary["recordKeys"] {
    return this.#keys?.keys;
  }

  /** Returns the first raw records, if paging compares pages by them. */
  sample(): PageSummary["sample"] {
    return this.#sampler?.sample(this.#receivedAt);
  }

  /** Returns a digest of the raw records, if the job alters them: the altered lines would not show whether two pages are equal. */
  digest(): string | undefined {
    return this.#raw?.digest();
  }
}

/**
 * Returns the column with the keys of records that are members of an object. `wantedFlags`: for each record, whether it is
 * written; undefined if all are.
 */
function keyColumns(
  { selection }: JobPlan,
  origin: ElementOrigin | undefined,
  wantedFlags: readonly boolean[] | undefined,
): Columns {
  const name = selection?.key;
  if (name === undefined || origin === undefined) return [];
  const keys = wantedFlags === undefined ? origin.keys : origin.keys.filter((_, place) => wantedFlags[place]);
  return (place) => [{ name, json: keys[place] ?? "null" }];
}

/** Returns the lines of the wanted records, in a new buffer. */
function wantedLines(lines: Buffer, wantedFlags: readonly boolean[]): Buffer {
  return joinLines([...recordsOf(lines)].filter((_, place) => wantedFlags[place]));
}

function joinColumns(recordColumns: Columns, shared: readonly Column[]): Columns {
  if (typeof recordColumns !== "function") return shared;
  return (place) => [...recordColumns(place), ...shared];
}

function withColumns(lines: Buffer, columns: Columns): Buffer {
  if (typeof columns !== "function" && columns.length === 0) return lines;
  return mapRecords(lines, (record, place) => addColumns(record, columnsAt(columns, place)));
}

/** Joins pieces of several datasets into one, for an output that does not separate them. */
function joinPieces(lines: readonly Lines[], dataset: string): Lines {
  const records = lines.reduce((sum, chunk) => sum + chunk.records, 0);
  return { dataset, bytes: Buffer.concat(lines.map(({ bytes }) => bytes)), records };
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

function valuesOf(line: Buffer | undefined, paths: readonly Path[]): PageSummary["last"] {
  const values = new Map<string, Watched>();
  for (const path of line === undefined ? [] : paths) {
    const value = line && watchedIn(line, path);
    if (value !== undefined) values.set(watchKey(path), value);
  }
  return values;
}

function isLess(a: string, b: string): boolean {
  const [x, y] = [decimal(a), decimal(b)];
  return x !== undefined && y !== undefined && compare(x, y) < 0;
}
