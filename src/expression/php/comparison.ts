/**
 * How PHP orders two texts: as numbers where both look like numbers ("10" after "9", "1e3" equal to "1000"), else byte
 * by byte. Numbers compare by their digits, of any length: identifiers beyond 2^53 do not run together.
 */
export function compareLoosely(a: string, b: string): number {
  const numbers = [a, b].map(scientific);
  const [first, second] = numbers;
  if (first === undefined || second === undefined) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (first.sign !== second.sign) return first.sign - second.sign;
  return first.sign * compareMagnitudes(first, second);
}

interface Scientific {
  readonly sign: -1 | 0 | 1;
  /** Without zeros at either end; the number is 0.DIGITS times ten to the power of `exponent`. */
  readonly digits: string;
  readonly exponent: bigint;
}

function scientific(text: string): Scientific | undefined {
  const match = /^[ \t\n\r\v\f]*([+-]?)(?:(\d+)\.?(\d*)|\.(\d+))(?:e([+-]?\d+))?[ \t\n\r\v\f]*$/i.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", decimals = "", onlyDecimals = "", power = "0"] = match;
  const all = whole + decimals + onlyDecimals;
  const leading = /^0*/.exec(all)?.[0].length ?? 0;
  const digits = all.slice(leading).replace(/0+$/, "");
  if (digits === "") return { sign: 0, digits, exponent: 0n };
  return { sign: sign === "-" ? -1 : 1, digits, exponent: BigInt(whole.length - leading) + BigInt(power) };
}

function compareMagnitudes(a: Scientific, b: Scientific): number {
  if (a.exponent !== b.exponent) return a.exponent < b.exponent ? -1 : 1;
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -1 : 1;
}
