import { parseValue, type Value } from "../core/values/value.ts";

/** Returns the value of a JSON text; undefined if it is not JSON, for example because it was cut. */
export function parsedText(text: string): Value | undefined {
  try {
    return parseValue(text);
  } catch {
    return undefined;
  }
}
