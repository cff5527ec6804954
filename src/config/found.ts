import { printable, shortText } from "../core/text/printable.ts";
import { isNumber, isObject, type Value } from "../core/values/value.ts";

/**
 * Returns a text for a value in a message. `steps`: the path of the value. If one of its names begins with `#`, the text shows only
 * the kind of the value (contract C-2.8).
 */
export function foundText(value: Value | undefined, steps: readonly string[]): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (isObject(value)) return Object.keys(value).length === 0 ? "an empty object" : "an object";
  if (steps.some((step) => step.startsWith("#")) && value !== null) {
    return typeof value === "string" ? "the string given" : "the value given";
  }
  if (isNumber(value)) return shortText(value.toString());
  return typeof value === "string" ? JSON.stringify(shortText(printable(value))) : String(value);
}
