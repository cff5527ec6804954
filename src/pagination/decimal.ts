/** An exact decimal number: coefficient times ten to the exponent. */
export interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** Longest number, in digits, and greatest exponent that is taken for a number: more is an attack, not an id or a total. */
const most = 1000;

/** Reads a number as JSON or a numeric string writes it ("25", "-1.50", "1e3"); undefined for anything else. */
export function decimal(text: string): Decimal | undefined {
  const match = /^\s*([+-]?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?\s*$/.exec(text);
  if (match === null || text.length > most) return undefined;
  const [, sign = "", whole = "", fraction = "", power = "0"] = match;
  if (Math.abs(Number(power)) > most) return undefined;
  const coefficient = BigInt(whole + fraction);
  return { coefficient: sign === "-" ? -coefficient : coefficient, exponent: Number(power) - fraction.length };
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export function compare(a: Decimal, b: Decimal): number {
  const [x, y] = aligned(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

export function add(a: Decimal, b: Decimal): Decimal {
  const [x, y, exponent] = aligned(a, b);
  return { coefficient: x + y, exponent };
}

/** Plain notation, without exponent. */
export function decimalText({ coefficient, exponent }: Decimal): string {
  if (exponent >= 0) return (coefficient * 10n ** BigInt(exponent)).toString();
  const sign = coefficient < 0n ? "-" : "";
  const digits = coefficient
    .toString()
    .replace("-", "")
    .padStart(1 - exponent, "0");
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}

function aligned(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (number: Decimal) => number.coefficient * 10n ** BigInt(number.exponent - exponent);
  return [scaled(a), scaled(b), exponent];
}
