import { isLosslessNumber, LosslessNumber, parse, stringify } from "lossless-json";
import { SpileError } from "../errors.ts";

/**
 * A JSON value whose numbers keep their digits (contract P2, C-2.1). A number that a JavaScript number would print with
 * the same digits is a `number`; every other one (1.10, 13911860366432393, 1e400) is a `LosslessNumber` with its text.
 */
export type Value = null | boolean | number | string | LosslessNumber | readonly Value[] | ValueObject;
export interface ValueObject {
  readonly [key: string]: Value;
}

/** Returns the number written as `text` (JSON grammar). */
export function exactNumber(text: string): number | LosslessNumber {
  const value = Number(text);
  return String(value) === text ? value : new LosslessNumber(text);
}

/**
 * Parses strict JSON. The last of duplicate keys counts. Throws SyntaxError, or SpileError `data` if values are nested thousands of
 * levels deep.
 */
export function parseValue(text: string): Value {
  // A string contains no number, so it is read by JavaScript's own parser, which is ten times as fast.
  if (text.startsWith('"')) return JSON.parse(text) as string;
  try {
    return parse(text, null, { parseNumber: exactNumber, onDuplicateKey: ({ newValue }) => newValue }) as Value;
  } catch (error) {
    // The parser calls itself once for each level, so thousands of levels exceed the stack.
    if (error instanceof RangeError) throw new SpileError("data", "a value is nested too deeply to be read");
    throw error;
  }
}

/** Returns whether a text is one JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the compact JSON text of a value. Every number keeps its digits. */
export function valueText(value: Value): string {
  return (isPlain(value) ? JSON.stringify(value) : stringify(value)) ?? "null";
}

/** Returns whether JSON.stringify, which is ten times as fast, writes a value with all its digits. */
function isPlain(value: Value): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return (value as readonly Value[]).every(isPlain);
  return !isLosslessNumber(value) && Object.values(value).every(isPlain);
}

/** Returns a string itself, and the JSON text of any other value. */
export function plainText(value: Value): string {
  return typeof value === "string" ? value : valueText(value);
}

/**
 * Returns JSON text on several lines, each level indented by two spaces. `valueText` has no option for this, because it is passed
 * to `map`, which would set the option.
 */
export function indentedText(value: Value): string {
  return stringify(value, undefined, 2) ?? "null";
}

/**
 * A JSON value whose text is made only when it is needed. `valueText` writes this text unchanged, as it writes the digits of a
 * number.
 */
export abstract class JsonText extends LosslessNumber {
  constructor() {
    super("0");
  }

  abstract override toString(): string;
}

export function isNumber(value: unknown): value is number | LosslessNumber {
  return typeof value === "number" || isLosslessNumber(value);
}

/** Returns a number as a double. `Number(value)` would throw for a LosslessNumber that is too large or too small. */
export function doubleOf(value: number | LosslessNumber): number {
  return Number(value.toString());
}

export function isObject(value: unknown): value is ValueObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** Returns a scalar as PHP joins it into a string (contract C-4.5): true is "1", false and null are "". Undefined for a list or object. */
export function scalarText(value: Value): string | undefined {
  if (typeof value === "string") return value;
  if (value === null || value === false) return "";
  if (value === true) return "1";
  return isNumber(value) ? value.toString() : undefined;
}

/** Reads an integer of at least `minimum` from a number or from a text of digits (contract C-2.5). Undefined for anything else. */
export function integer(value: unknown, minimum = 0): number | undefined {
  const number = typeof value === "string" && /^[0-9]+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= minimum ? number : undefined;
}
