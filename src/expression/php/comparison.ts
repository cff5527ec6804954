import { compare, numericValue } from "../../core/values/decimal.ts";

/**
 * Compares two texts as PHP does: as numbers if both look like numbers ("10" after "9", "1e3" equal to "1000"), else byte
 * by byte. Numbers are compared by all their digits, so identifiers above 2^53 stay distinct.
 */
export function compareLoosely(a: string, b: string): number {
  const [first, second] = [numericValue(a), numericValue(b)];
  if (first === undefined || second === undefined) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return compare(first, second);
}
