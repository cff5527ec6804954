import { decimal } from "../../src/core/values/decimal.ts";
import { isNumber, isObject, parseValue, type Value } from "../../src/core/values/value.ts";

/** The differences between the received records and those of the API. */
export interface Difference {
  readonly missing: number;
  /** Received records that the API does not have, or not as often. */
  readonly surplus: number;
  readonly example: string | undefined;
}

/** Compares all records as values: members in any order, numbers as exact decimals in any spelling. */
export function compareValues(ofApi: readonly string[], received: readonly string[]): Difference {
  const awaited = new Map<string, number>();
  for (const text of ofApi.map(canonical)) awaited.set(text, (awaited.get(text) ?? 0) + 1);
  const extra: string[] = [];
  for (const text of received.map(canonical)) {
    const left = awaited.get(text) ?? 0;
    if (left === 0) extra.push(text);
    else awaited.set(text, left - 1);
  }
  const lacking = [...awaited].filter(([, count]) => count > 0);
  const missing = lacking.reduce((sum, [, count]) => sum + count, 0);
  const example = [...lacking.slice(0, 1).map(([text]) => `missing: ${text}`), ...extra.slice(0, 1)].join(
    "; surplus: ",
  );
  return { missing, surplus: extra.length, example: example === "" ? undefined : example.slice(0, 400) };
}

function canonical(text: string): string {
  return JSON.stringify(plain(parseValue(text)));
}

function plain(value: Value): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (isObject(value)) {
    return Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, plain(member)]);
  }
  return isNumber(value) ? { number: spelling(value.toString()) } : value;
}

/** Returns one spelling for equal numbers. */
function spelling(text: string): string {
  const number = decimal(text);
  if (number === undefined) return text;
  const digits = number.digits.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${number.negative ? "-" : ""}${significant}e${number.exponent + BigInt(digits.length - significant.length)}`;
}
