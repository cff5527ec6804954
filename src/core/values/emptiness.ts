import { isNumber, type Value } from "./value.ts";

/**
 * Whether a value is `empty` in PHP: null, false, "", "0", every zero however it is written (0.0, -0, 0e0) and []. An
 * object never is, nor is "0.0".
 */
export function isEmpty(value: Value): boolean {
  if (isNumber(value)) return isZeroText(value.toString());
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === false || value === "" || value === "0";
}

/** Whether a number of JSON, as written, is zero. Decided by its digits: 1e-400 is not, though a double cannot tell. */
export function isZeroText(text: string): boolean {
  return /^-?[0.]+(e.*)?$/i.test(text);
}
