import { add, compare, decimal, decimalText } from "./decimal.ts";
import { compareInstants, instantBefore, instantOf, readTime, timeLike } from "./instant.ts";
import { exactNumber, isNumber, scalarText, type Value } from "./value.ts";

/** The operations on increment values of one type. */
export interface IncrementType {
  /** Returns a value in the form in which it is stored and sent; undefined if it is not of the type. */
  read(value: Value): Value | undefined;
  /**
   * Compares stored values: negative, zero or positive if `a` is less than, equal to or greater than `b`; zero if one of them is
   * not of the type.
   */
  compare(a: Value, b: Value): number;
  /**
   * Returns a stored value minus the lookback, which is in milliseconds for times and a number for numbers. For the type `text`,
   * returns the value.
   */
  before(value: Value, lookback: Value): Value;
  /**
   * Returns the smaller of a stored value and a moment (Unix seconds), in the form of the stored value. For the type `text`,
   * returns the value.
   */
  upTo(value: Value, moment: Value): Value;
  /** Description of a value of the type, for people. */
  readonly words: string;
}

export type IncrementTypeName = "time" | "number" | "text";

export const incrementTypes: Readonly<Record<IncrementTypeName, IncrementType>> = {
  time: {
    read(value) {
      const instant = readTime(value);
      return instant && timeLike(instant, value);
    },
    compare(a, b) {
      const [x, y] = [readTime(a), readTime(b)];
      return x === undefined || y === undefined ? 0 : compareInstants(x, y);
    },
    before(value, lookback) {
      const instant = readTime(value);
      return instant === undefined ? value : timeLike(instantBefore(instant, Number(lookback)), value);
    },
    upTo(value, moment) {
      const [instant, limit] = [readTime(value), instantOf(moment)];
      const isBeyond = instant !== undefined && limit !== undefined && compareInstants(instant, limit) > 0;
      return isBeyond ? timeLike(limit, value) : value;
    },
    words: "time (ISO 8601, or Unix seconds or milliseconds)",
  },
  number: {
    read: (value) => (numberOf(value) === undefined ? undefined : value),
    compare(a, b) {
      const [x, y] = [numberOf(a), numberOf(b)];
      return x === undefined || y === undefined ? 0 : compare(x, y);
    },
    before(value, lookback) {
      const [x, y] = [numberOf(value), numberOf(lookback)];
      if (x === undefined || y === undefined) return value;
      const text = decimalText(add(x, { ...y, negative: !y.negative }));
      return typeof value === "string" ? text : exactNumber(text);
    },
    upTo(value, moment) {
      const [x, y] = [numberOf(value), numberOf(moment)];
      if (x === undefined || y === undefined || compare(x, y) <= 0) return value;
      return typeof value === "string" ? decimalText(y) : exactNumber(decimalText(y));
    },
    words: "number",
  },
  text: {
    read: (value) => (typeof value === "string" ? value : undefined),
    compare: (a, b) => compareCodePoints(String(a), String(b)),
    before: (value) => value,
    upTo: (value) => value,
    words: "text",
  },
};

function numberOf(value: Value): ReturnType<typeof decimal> {
  if (!isNumber(value) && typeof value !== "string") return undefined;
  const text = scalarText(value) ?? "";
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? decimal(text) : undefined;
}

/** Compares texts by code points. JavaScript compares UTF-16 units, by which U+10000 would come before U+E000. */
function compareCodePoints(a: string, b: string): number {
  let index = 0;
  while (index < a.length && index < b.length && a.charCodeAt(index) === b.charCodeAt(index)) index += 1;
  // The index moves back if the texts differ in the second half of a surrogate pair.
  if (index > 0 && /[\udc00-\udfff]/.test(a[index] ?? b[index] ?? "") && /[\ud800-\udbff]/.test(a[index - 1] ?? ""))
    index -= 1;
  return (a.codePointAt(index) ?? -1) - (b.codePointAt(index) ?? -1);
}
