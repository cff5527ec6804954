import { parseValue, type Value } from "../core/values/value.ts";

/** The value of a JSON text; undefined if the text was cut. */
export function parsedText(text: string): Value | undefined {
  try {
    return parseValue(text);
  } catch {
    return undefined;
  }
}
