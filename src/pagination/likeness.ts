import { maxSampled, type RecordSample, type SampledFields } from "../core/runs/page.ts";
import { readInstant } from "../core/values/instant.ts";
import { parseValue } from "../core/values/value.ts";

/** Two pages with the same number of records. */
export interface ComparedPages {
  readonly earlier: RecordSample;
  readonly later: RecordSample;
}

/** The degree to which two pages are alike. */
export interface Likeness {
  /** Number of pages in a row, including the first, that must be this much alike to prove that the API repeats one page. */
  readonly pages: number;
  /** The fields that prove the likeness, for a message. */
  readonly by: string;
}

/** Names that identify a record by themselves, the strongest first. */
const exactNames = ["id", "_id", "@id", "uuid", "guid", "self", "href"];
/** `order_id`, `order-id`, `orderId`, `OrderID`, and `Id` by itself. */
const nounName = /(?:^|.[_-])I[dD]$|.[_-]id$|[a-z0-9]I[dD]$/;

/** Value of `Likeness.pages` for pages that look equal, but without proof: a field or an id differs, or records were cut. */
const equalPages = 100;
/**
 * Value of `Likeness.pages` for pages with equal ids that differ in several fields. They may be reports of different days, but no
 * API has reports of so many days.
 */
const similarPages = 10_000;
/** The values of `Likeness.pages` above 1. */
export const likenessLimits = [equalPages, similarPages] as const;

/**
 * Compares two pages with the same number of records by the fields that identify records (contract C-6.6). Undefined if the pages
 * are different. Most pages differ in their first records already.
 */
export function likenessOf({ earlier, later }: ComparedPages): Likeness | undefined {
  const [first, other] = [earlier.fieldsAt(0), later.fieldsAt(0)];
  if (first === undefined || other === undefined) return undefined;
  const { records } = later;
  if (records === 1) return likenessOfOne(first, other);
  const name = exactNames.find((one) => first.values.has(one) && other.values.has(one));
  if (name !== undefined && first.values.get(name) !== other.values.get(name)) return undefined;
  if (name === undefined && !isAnyNounEqual(first, other) && !isMostEqual(first, other)) return undefined;
  const pairs = pairsOf(earlier, later, Math.min(records, maxSampled));
  return pairs && likenessOfMany(pairs, [earlier.time, later.time]);
}

/** Returns whether the records of a page can be identified. */
export function isIdentified(sample: RecordSample): boolean {
  return likenessOf({ earlier: sample, later: sample })?.pages === 1;
}

function likenessOfOne(first: SampledFields, other: SampledFields): Likeness | undefined {
  const name = exactNames.find((one) => first.values.has(one) && other.values.has(one));
  if (name === undefined || first.values.get(name) !== other.values.get(name)) return undefined;
  const names = new Set([...first.values.keys(), ...other.values.keys()]);
  const different = [...names].filter((one) => first.values.get(one) !== other.values.get(one));
  const areWhole = first.whole && other.whole;
  const pages = different.length > 1 ? similarPages : areWhole ? 1 : equalPages;
  return { pages, by: JSON.stringify(name) };
}

type Pair = readonly [SampledFields, SampledFields];

function pairsOf(earlier: RecordSample, later: RecordSample, count: number): Pair[] | undefined {
  const pairs: Pair[] = [];
  for (let index = 0; index < count; index += 1) {
    const [a, b] = [earlier.fieldsAt(index), later.fieldsAt(index)];
    if (a === undefined || b === undefined) return undefined;
    pairs.push([a, b]);
  }
  return pairs;
}

function likenessOfMany(all: readonly Pair[], times: readonly [number, number]): Likeness | undefined {
  const identity = byName(all);
  if (identity === "different") return undefined;
  const wholePairs = all.filter(([a, b]) => a.whole && b.whole);
  const pairs = wholePairs.length > 1 ? wholePairs : all;
  const columns = columnsOf(pairs);
  if (identity === "mixed") return { pages: equalPages, by: "some of their ids" };
  const by = identity ?? byMostFields(columns);
  if (by === undefined) return undefined;
  const changedColumns = columns.filter(({ equal }) => !equal);
  const dated = changedColumns.filter((column) => isDated(column, times));
  if (dated.length > 0) {
    const others = changedColumns.filter((column) => !dated.includes(column) && !isClock(column, times));
    return { pages: others.length === 0 ? equalPages : similarPages, by };
  }
  // The sample of a long record is cut, so its last fields are unknown. They are not needed if a field identifies the records.
  const isKnown = identity !== undefined || wholePairs.length > 1;
  return { pages: isKnown ? 1 : equalPages, by };
}

/**
 * Compares by a field that identifies records. Returns the field's name if all records are the same, "mixed" if two such fields
 * disagree.
 */
function byName(pairs: readonly Pair[]): string | "different" | "mixed" | undefined {
  const names = [...(pairs[0]?.[0].values.keys() ?? [])];
  const candidates = [
    ...exactNames.filter((name) => names.includes(name)),
    ...names.filter((one) => nounName.test(one)),
  ];
  const identifying = candidates.map((name) => columnOf(name, pairs)).filter(({ distinct }) => distinct);
  const exact = identifying.find(({ name }) => exactNames.includes(name));
  const decisive = exact === undefined ? identifying : [exact];
  const [first] = decisive;
  if (first === undefined) return undefined;
  if (decisive.every(({ equal }) => equal)) return JSON.stringify(first.name);
  return decisive.some(({ equal }) => equal) ? "mixed" : "different";
}

/** Compares records without an identifying name. Most fields must be equal, and one of these must distinguish the records of a page. */
function byMostFields(columns: readonly Column[]): string | undefined {
  const equal = columns.filter((column) => column.equal);
  if (equal.length * 2 <= columns.length) return undefined;
  // Row numbers are equal in any two pages, so they prove nothing.
  return equal.some((column) => column.distinct && !isRowNumber(column)) ? "most of their fields" : undefined;
}

/** The values of one field in both pages; undefined if a record lacks it. */
interface Column {
  readonly name: string;
  readonly values: readonly (readonly [string | undefined, string | undefined])[];
  /** True if each record has the same value in both pages. */
  readonly equal: boolean;
  /** True if all records of a page have different values. */
  readonly distinct: boolean;
}

function columnsOf(pairs: readonly Pair[]): Column[] {
  const names = new Set(pairs.flatMap(([a, b]) => [...a.values.keys(), ...b.values.keys()]));
  return [...names].map((name) => columnOf(name, pairs));
}

function columnOf(name: string, pairs: readonly Pair[]): Column {
  const values = pairs.map(([a, b]) => [a.values.get(name), b.values.get(name)] as const);
  const isDistinct = (side: 0 | 1) => {
    const sideValues = new Set(values.map((pair) => pair[side]));
    return sideValues.size === values.length && !sideValues.has(undefined) && !sideValues.has("null");
  };
  return { name, values, equal: values.every(([a, b]) => a === b), distinct: isDistinct(0) && isDistinct(1) };
}

/**
 * Returns whether a field has one value in all records of a page, another one in all records of the other page, and is not a
 * clock: the pages are then reports of two days.
 */
function isDated(column: Column, times: readonly [number, number]): boolean {
  return isConstant(column) && !isClock(column, times);
}

function isConstant({ values }: Column): boolean {
  const [[a, b] = [undefined, undefined]] = values;
  return a !== undefined && b !== undefined && a !== b && values.every(([x, y]) => x === a && y === b);
}

/** Returns whether a field shows the API's clock: times within a minute of the answers. */
function isClock({ values }: Column, [earlier, later]: readonly [number, number]): boolean {
  return values.every(([a, b]) => isMomentNear(a, earlier) && isMomentNear(b, later));
}

function isRowNumber({ values }: Column): boolean {
  const [[first] = [undefined]] = values;
  return (first === "0" || first === "1") && values.every(([value], index) => value === String(Number(first) + index));
}

function isAnyNounEqual({ values }: SampledFields, other: SampledFields): boolean {
  for (const [name, value] of values) if (nounName.test(name) && other.values.get(name) === value) return true;
  return false;
}

function isMostEqual({ values }: SampledFields, other: SampledFields): boolean {
  let equal = 0;
  for (const [name, value] of values) if (other.values.get(name) === value) equal += 1;
  return equal * 2 > Math.max(values.size, other.values.size);
}

/** Returns whether a field holds a time within a minute of `time` (milliseconds). A time without an offset is read as UTC. */
function isMomentNear(text: string | undefined, time: number): boolean {
  if (text === undefined || !/^["\d]/.test(text)) return false;
  const value = parseValue(text);
  const instant = readInstant(value) ?? (typeof value === "string" ? readInstant(`${value}Z`) : undefined);
  return instant !== undefined && Math.abs(instant.seconds * 1000 - time) <= 60_000;
}
