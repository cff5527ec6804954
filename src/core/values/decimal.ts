/** An exact decimal number: its digits as written, times ten to the power of `exponent`. */
export interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: bigint;
}

/** Maximum number of digits, and maximum exponent, of a number in calculations. Ids and totals are far smaller. */
const maximumDigits = 1000;

/**
 * A number as PHP writes it, with white space around it. The groups cannot match the same digits in two ways, so matching is
 * linear.
 */
const numeric = /^[ \t\n\r\v\f]*([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:e([+-]?\d+))?[ \t\n\r\v\f]*$/i;

/** Reads a text that is a number for PHP, of any length: "25", "-1.50", "1e3", " .5". Undefined for anything else. */
export function numericValue(text: string): Decimal | undefined {
  const match = numeric.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", decimals = "", onlyDecimals = "", power = "0"] = match;
  const fraction = decimals + onlyDecimals;
  // An exponent of more than 30 characters is replaced by one that depends only on its sign and its length: nothing else matters.
  const exponent =
    power.length <= 30 ? BigInt(power) : (power.startsWith("-") ? -1n : 1n) * BigInt(power.length) * 10n ** 30n;
  return { negative: sign === "-", digits: whole + fraction, exponent: exponent - BigInt(fraction.length) };
}

/**
 * Reads a number for calculations. Undefined if it is not a number, has more than 1,000 characters, or has an exponent above 1,000
 * or below -2,000.
 */
export function decimal(text: string): Decimal | undefined {
  const number = text.length > maximumDigits ? undefined : numericValue(text);
  return number === undefined || number.exponent > maximumDigits || number.exponent < -2 * maximumDigits
    ? undefined
    : number;
}

export function isZero({ digits }: Decimal): boolean {
  return !/[1-9]/.test(digits);
}

/**
 * Returns a negative number, zero or a positive number if `a` is less than, equal to or greater than `b`. Takes time in proportion
 * to the number of digits.
 */
export function compare(a: Decimal, b: Decimal): number {
  const [first, second] = [signOf(a), signOf(b)];
  if (first !== second || first === 0) return first - second;
  const [x, y] = [magnitude(a), magnitude(b)];
  if (x.exponent !== y.exponent) return x.exponent < y.exponent ? -first : first;
  return x.digits === y.digits ? 0 : x.digits < y.digits ? -first : first;
}

function signOf(number: Decimal): number {
  if (isZero(number)) return 0;
  return number.negative ? -1 : 1;
}

/** Returns the digits without zeros at either end. The number is 0.DIGITS times ten to the power of the returned exponent. */
function magnitude({ digits, exponent }: Decimal): { readonly digits: string; readonly exponent: bigint } {
  let [from, to] = [0, digits.length];
  while (digits[from] === "0") from += 1;
  while (to > from && digits[to - 1] === "0") to -= 1;
  return { digits: digits.slice(from, to), exponent: exponent + BigInt(digits.length - from) };
}

export function add(a: Decimal, b: Decimal): Decimal {
  const [exponent = 0n] = [a.exponent, b.exponent].toSorted((x, y) => (x < y ? -1 : 1));
  const scaled = ({ negative, digits, exponent: power }: Decimal): bigint =>
    BigInt(digits) * 10n ** (power - exponent) * (negative ? -1n : 1n);
  const sum = scaled(a) + scaled(b);
  return { negative: sum < 0n, digits: (sum < 0n ? -sum : sum).toString(), exponent };
}

/** Returns a number in plain notation, without exponent. */
export function decimalText({ negative, digits, exponent }: Decimal): string {
  const sign = negative && /[1-9]/.test(digits) ? "-" : "";
  const plain = BigInt(digits).toString();
  if (exponent >= 0n) return sign + (plain === "0" ? plain : plain + "0".repeat(Number(exponent)));
  const places = Number(-exponent);
  const padded = plain.padStart(places + 1, "0");
  return `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`;
}
