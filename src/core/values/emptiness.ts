import { isNumber, type Value } from "./value.ts";

/**
 * Returns whether a value is `empty` in PHP: null, false, "", "0", [] and every form of zero (0.0, -0, 0e0). An object is never
 * empty, nor is "0.0".
 */
export function isEmpty(value: Value): boolean {
  if (isNumber(value)) return isZeroText(value.toString());
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === false || value === "" || value === "0";
}

/** Returns whether the text of a JSON number is zero. Its digits decide: 1e-400 is not zero, although a double rounds it to zero. */
export function isZeroText(text: string): boolean {
  return /^-?[0.]+(e.*)?$/i.test(text);
}
