import { isNumber } from "../../core/values/value.ts";
import { bytesOf, type PhpOperand } from "./operand.ts";

/** A number as an exact fraction; `denominator` is positive. */
export interface Fraction {
  readonly negative: boolean;
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Returns the text of the number that PHP reads at the beginning of an operand: "12abc" gives "12", "abc" gives "0". */
export function numeral(operand: PhpOperand): string {
  if (isNumber(operand)) return operand.toString();
  if (operand === null || typeof operand === "boolean") return operand ? "1" : "0";
  return (
    /^[ \t\n\r\v\f]*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)/i.exec(bytesOf(operand).toString("latin1"))?.[1] ?? "0"
  );
}

/**
 * Returns the integer of a numeral, truncated towards zero. Integers beyond 64 bits keep their digits, unlike in PHP, so that
 * identifiers stay intact. With a point or an exponent, the numeral is read as a double; an infinite one gives 0.
 */
export function integerOf(text: string): bigint {
  const integerMatch = /^([+-]?)(\d+)$/.exec(text);
  if (integerMatch?.[2] !== undefined)
    return integerMatch[1] === "-" ? -BigInt(integerMatch[2]) : BigInt(integerMatch[2]);
  const value = Math.trunc(Number(text));
  return Number.isFinite(value) ? BigInt(value) : 0n;
}

/** Returns the fraction of a numeral: exact for integers of any length, else the nearest finite double, as in PHP. */
export function fractionOf(text: string): Fraction {
  if (/^[+-]?\d+$/.test(text)) {
    const integer = integerOf(text);
    return { negative: text.startsWith("-"), numerator: integer < 0n ? -integer : integer, denominator: 1n };
  }
  const value = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(text)));
  let numerator = Math.abs(value);
  let denominator = 1n;
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    denominator *= 2n;
  }
  return { negative: value < 0 || Object.is(value, -0), numerator: BigInt(numerator), denominator };
}

/**
 * Returns the digits of the fraction, rounded to `places` digits after the point, without sign. A tie goes to the even digit, as
 * in C.
 */
export function fixedDigits(fraction: Fraction, places: number): string {
  const digits = String(divideEven(fraction.numerator * 10n ** BigInt(places), fraction.denominator));
  if (places === 0) return digits;
  const padded = digits.padStart(places + 1, "0");
  return `${padded.slice(0, -places)}.${padded.slice(-places)}`;
}

/** Returns the number rounded to `count` significant digits, and the exponent of the first digit: 1234.5 with 3 gives "123" and 3. */
export function significantDigits(fraction: Fraction, count: number): { digits: string; exponent: number } {
  const { numerator, denominator } = fraction;
  if (numerator === 0n) return { digits: "0".repeat(count), exponent: 0 };
  let exponent = String(numerator).length - String(denominator).length;
  if (numerator * scale(-exponent) < denominator * scale(exponent)) exponent -= 1;
  const shift = count - 1 - exponent;
  const rounded = String(divideEven(numerator * scale(shift), denominator * scale(-shift)));
  return { digits: rounded.slice(0, count), exponent: exponent + rounded.length - count };
}

const scale = (power: number) => 10n ** BigInt(Math.max(power, 0));

function divideEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  return twice > denominator || (twice === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient;
}
