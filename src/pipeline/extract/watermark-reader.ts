import type { Increment } from "../../compile/increment.ts";
import type { JobPlan } from "../../compile/plan.ts";
import { incrementTypes } from "../../core/increment-types.ts";
import { parseValue, type Value } from "../../core/value.ts";
import { DataFault } from "../../extract/document.ts";
import { formatOf, isDelimited } from "../../extract/format/format.ts";
import { recordsOf, textAt } from "../../extract/records.ts";
import type { PageWatermark } from "../page.ts";
import type { DroppedPlaces } from "./sieve.ts";

/** Reads the values of an increment from the records of a page. */
export interface WatermarkReader {
  /** Takes the next records, as they came. */
  add(lines: Buffer): void;
  /** Of the records but those at the given places (from 0). Throws DataFault where a value is not of the increment's type. */
  without(dropped: DroppedPlaces): PageWatermark;
}

/**
 * The reader of a job's increment by a path; undefined where there is none. With `unique` each record's value is kept: what is
 * dropped later tells nothing, since a newer version of a record may be what is dropped.
 */
export function watermarkReader({ increment, format }: JobPlan, unique: boolean): WatermarkReader | undefined {
  if (increment === undefined || !("path" in increment.source)) return undefined;
  const { path } = increment.source;
  const isTable = format !== undefined && isDelimited(formatOf(format, undefined).type);
  const absent = isTable && increment.type !== incrementTypes.text ? emptyText : undefined;
  let fault: DataFault | undefined;
  const all: (Value | undefined)[] = [];
  let page = nothingRead;
  let order: Order = { first: undefined, last: undefined, ascending: true };
  let place = 0;
  return {
    add(lines) {
      for (const record of recordsOf(lines)) {
        place += 1;
        const found = textAt(record, path);
        const text = found === absent ? undefined : found;
        const value = text === undefined ? undefined : increment.type.read(parseValue(text));
        if (value === undefined && text !== undefined && text !== "null") fault ??= unreadable(text, place, increment);
        order = ordered(order, value, increment);
        if (unique) all.push(value);
        else page = withValue(page, value, increment);
      }
    },
    without(dropped) {
      if (fault !== undefined) throw fault;
      const read = all.reduce((so, value, index) => (dropped.has(index) ? so : withValue(so, value, increment)), page);
      return { ...read, ascending: isAscending(order, increment) };
    },
  };
}

const nothingRead: PageWatermark = { value: undefined, missing: 0, ascending: false };

/** In what order the values of a page have come. */
interface Order {
  readonly first: Value | undefined;
  readonly last: Value | undefined;
  readonly ascending: boolean;
}

function ordered({ first = undefined, last, ascending }: Order, value: Value | undefined, { type }: Increment): Order {
  const follows = value !== undefined && (last === undefined || type.compare(last, value) <= 0);
  return { first: first ?? value, last: value, ascending: ascending && follows };
}

function isAscending({ first, last, ascending }: Order, { type }: Increment): boolean {
  return ascending && first !== undefined && last !== undefined && type.compare(first, last) < 0;
}

/** A table has no null: an empty field stands for it, unless the increment compares texts. */
const emptyText = '""';

function withValue(
  { value: greatest, missing, ascending }: PageWatermark,
  value: Value | undefined,
  { type }: Increment,
): PageWatermark {
  if (value === undefined) return { value: greatest, missing: missing + 1, ascending };
  const isGreater = greatest === undefined || type.compare(greatest, value) < 0;
  return { value: isGreater ? value : greatest, missing, ascending };
}

function unreadable(text: string, place: number, { type, sourceName }: Increment): DataFault {
  const shown = text.length > 60 ? `${text.slice(0, 60)}...` : text;
  return new DataFault(`record ${place} of the page has ${shown} at ${sourceName}, which is no ${type.words}`);
}
