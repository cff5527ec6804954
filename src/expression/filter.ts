import { type Fault, messageOf, SpileError } from "../core/errors.ts";
import { shortText } from "../core/text/printable.ts";
import { parsePath, valueAt } from "../core/values/path.ts";
import { scalarText, type Value, valueText } from "../core/values/value.ts";
import { compareLoosely } from "./php/comparison.ts";

/** A parsed `recursionFilter`: returns whether a record passes. Throws SpileError `data` if a field is an object or a list. */
export type Filter = (record: Value) => boolean;

type Test = (value: string, operand: string) => boolean;

/** `==` and `!=` compare texts; `~~` and `!~` match a pattern (`like`); the others compare as PHP does. */
const operators: Readonly<Record<string, Test>> = {
  ">=": (value, operand) => compareLoosely(value, operand) >= 0,
  "<=": (value, operand) => compareLoosely(value, operand) <= 0,
  "==": (value, operand) => value === operand,
  "!=": (value, operand) => value !== operand,
  "~~": (value, operand) => like(value, operand),
  "!~": (value, operand) => !like(value, operand),
  ">": (value, operand) => compareLoosely(value, operand) > 0,
  "<": (value, operand) => compareLoosely(value, operand) < 0,
};

/**
 * Parses a `recursionFilter` (contract C-11.5): comparisons of a field (dotted path) with a text. They are joined by `&` and
 * `|`; `&` binds more strongly. There are no brackets or escapes, and white space counts. A missing field, null and false count
 * as "", true as "1". Numbers keep their digits, so `n==10` is false for 10.0, and identifiers of any length compare exactly.
 * Throws SpileError `configuration`.
 */
export function parseFilter(text: string): Filter {
  const alternatives = text
    .split("|")
    .map((part) => part.split("&").map((comparison) => parseComparison(comparison, text)));
  return (record) => alternatives.some((comparisons) => comparisons.every((comparison) => comparison(record)));
}

export function checkFilter(text: string, pointer: string): Fault[] {
  try {
    parseFilter(text);
    return [];
  } catch (error) {
    return [{ pointer, message: messageOf(error) }];
  }
}

function parseComparison(comparison: string, filter: string): Filter {
  const [operator] = /[><=!]=|[~!]~/.exec(comparison) ?? /[><]/.exec(comparison) ?? [];
  const fault = (message: string) =>
    new SpileError("configuration", `filter ${JSON.stringify(filter)}: ${JSON.stringify(comparison)} ${message}`);
  if (operator === undefined) {
    throw fault(
      `contains no comparison; write field, operator and value; the operators are ${Object.keys(operators).join(" ")}`,
    );
  }
  const [field = "", operand = "", ...more] = comparison.split(operator);
  const test = operators[operator];
  if (field === "" || field === "." || test === undefined) throw fault(`names no field before ${operator}`);
  // Generic Extractor would ignore the text after the second operator.
  if (more.length > 0) throw fault(`has ${operator} twice`);
  const path = parsePath(field);
  return (record) => test(fieldText(record, path, field), operand);
}

function fieldText(record: Value, path: readonly string[], field: string): string {
  const value = valueAt(record, path) ?? null;
  const text = scalarText(value);
  if (text !== undefined) return text;
  throw new SpileError(
    "data",
    `a filter compares the field "${field}", which is not a text or a number in a record: ${shortText(valueText(value))}`,
  );
}

/**
 * Returns whether a value matches a pattern. `%` matches any characters of one line, so a value of several lines matches no
 * pattern with `%`. A line break at the end of the value does not count.
 */
function like(value: string, pattern: string): boolean {
  if (matches(value, pattern)) return true;
  return value.endsWith("\n") && matches(value.slice(0, -1), pattern);
}

/** Finds each piece between `%` at its first possible place. This takes linear time; a regular expression would backtrack. */
function matches(value: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("%");
  const last = rest.pop();
  if (last === undefined) return value === pattern;
  if (value.includes("\n") || !value.startsWith(first)) return false;
  let index = first.length;
  for (const piece of rest) {
    const found = value.indexOf(piece, index);
    if (found < 0) return false;
    index = found + piece.length;
  }
  return value.length - last.length >= index && value.endsWith(last);
}
