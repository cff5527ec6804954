import type { Increment } from "../../compile/jobs/increment.ts";
import type { JobPlan } from "../../compile/plan.ts";
import { shortText } from "../../core/text/printable.ts";
import { incrementTypes } from "../../core/values/increment-types.ts";
import { parseValue, type Value } from "../../core/values/value.ts";
import { DataFault } from "../../extract/document.ts";
import { formatOf, isDelimited } from "../../extract/format/format.ts";
import { recordsOf, textAt } from "../../extract/records.ts";
import type { PageWatermark } from "../page-watermark.ts";
import type { DroppedPlaces } from "./sieve.ts";

/** Reads the values of an increment from the records of a page. */
export interface WatermarkReader {
  /** Takes the next raw records. Returns for each record whether it is to be written; undefined if all are to be written. */
  add(lines: Buffer): readonly boolean[] | undefined;
  /**
   * Returns the watermark without the records at the given places (from 0) among those to be written. Throws DataFault if a value
   * is not of the increment's type.
   */
  without(dropped: DroppedPlaces): PageWatermark;
}

/**
 * Returns the reader of an increment whose values are in the records; undefined if there is no such increment. `unique`: records
 * may be dropped later. The reader then keeps the value of each record, since the values of dropped records must not count.
 */
export function watermarkReader(
  increment: Increment | undefined,
  { format }: JobPlan,
  unique: boolean,
): WatermarkReader | undefined {
  if (increment === undefined || !("path" in increment.source)) return undefined;
  const { source, type, filters, from } = increment;
  const { path } = source;
  const isTable = format !== undefined && isDelimited(formatOf(format, undefined).type);
  const absent = isTable && type !== incrementTypes.text ? emptyText : undefined;
  const isBelow = (value: Value | undefined): boolean =>
    filters && from !== null && value !== undefined && type.compare(value, from) < 0;
  let fault: DataFault | undefined;
  const values: (Value | undefined)[] = [];
  let page: Read = { value: undefined, missing: 0 };
  let order: Order = { first: undefined, last: undefined, greatest: undefined, ascending: true };
  let records = 0;
  let filtered = 0;
  return {
    add(lines) {
      const before = filtered;
      const wantedFlags: boolean[] = [];
      for (const record of recordsOf(lines)) {
        records += 1;
        const found = textAt(record, path);
        const text = found === absent ? undefined : found;
        const value = text === undefined ? undefined : type.read(parseValue(text));
        if (value === undefined && text !== undefined && text !== "null")
          fault ??= unreadable(text, records, increment);
        order = ordered(order, value, increment);
        const isLeftOut = isBelow(value);
        if (filters) wantedFlags.push(!isLeftOut);
        if (isLeftOut) filtered += 1;
        else if (unique) values.push(value);
        else page = withValue(page, value, increment);
      }
      return filtered > before ? wantedFlags : undefined;
    },
    without(dropped) {
      if (fault !== undefined) throw fault;
      const read = values.reduce(
        (before, value, index) => (dropped.has(index) ? before : withValue(before, value, increment)),
        page,
      );
      const { first, greatest } = order;
      const isPast = records > 0 && filtered === records;
      return { ...read, ascending: isAscending(order, increment), filtered, isPast, first, greatest };
    },
  };
}

/** The greatest value so far, and the number of records without one. */
type Read = Pick<PageWatermark, "value" | "missing">;

/** The order of a page's values. */
interface Order {
  readonly first: Value | undefined;
  readonly last: Value | undefined;
  readonly greatest: Value | undefined;
  readonly ascending: boolean;
}

function ordered(order: Order, value: Value | undefined, { type }: Increment): Order {
  const { first = value, last, greatest, ascending } = order;
  const follows = value !== undefined && (last === undefined || type.compare(last, value) <= 0);
  const isGreatest = value !== undefined && (greatest === undefined || type.compare(greatest, value) < 0);
  return { first, last: value, greatest: isGreatest ? value : greatest, ascending: ascending && follows };
}

function isAscending({ first, last, ascending }: Order, { type }: Increment): boolean {
  return ascending && first !== undefined && last !== undefined && type.compare(first, last) < 0;
}

/** JSON text of an empty field. In a table, an empty field means null, unless the increment compares texts. */
const emptyText = '""';

function withValue({ value: greatest, missing }: Read, value: Value | undefined, { type }: Increment): Read {
  if (value === undefined) return { value: greatest, missing: missing + 1 };
  const isGreater = greatest === undefined || type.compare(greatest, value) < 0;
  return { value: isGreater ? value : greatest, missing };
}

function unreadable(text: string, place: number, { type, sourceName }: Increment): DataFault {
  return new DataFault(
    `record ${place} of the page has ${shortText(text)} at ${sourceName}, which is not a ${type.words}`,
  );
}
