import { SpileError } from "../../core/errors.ts";
import type { HeaderMap } from "../../core/requests/request.ts";
import { isHeaderName, trimmedHeader, unfitCharacter } from "../../core/text/header-syntax.ts";
import { isObject, scalarText, type Value } from "../../core/values/value.ts";
import { version } from "../../version.ts";

/** Headers that are sent if the configuration does not set them. */
export const defaultHeaders: HeaderMap = new Map([
  ["accept", ["Accept", "application/json"]],
  ["accept-encoding", ["Accept-Encoding", "gzip, deflate, br"]],
  ["user-agent", ["User-Agent", `spile/${version}`]],
]);

/**
 * Returns a configured header's value as it is sent: trimmed; numbers with their digits, true as "1", false and null as "", a list
 * as its elements joined by ", ". Throws SpileError (configuration) with the header's name if the name or the value cannot be sent.
 */
export function headerText(name: string, value: Value): string {
  if (!isHeaderName(name)) {
    throw fault(name, "this is not the name of a header, which consists of letters, digits and -");
  }
  const items: readonly Value[] = Array.isArray(value) ? value : [value as Value];
  const text = items.map((item) => itemText(name, item)).join(", ");
  const wrong = unfitCharacter(text);
  if (wrong === undefined) return text;
  const code = (wrong.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  throw fault(
    name,
    `the value contains the character U+${code}; headers may only contain Latin-1 without control characters`,
  );
}

function itemText(name: string, item: Value): string {
  const text = scalarText(item);
  if (text !== undefined) return trimmedHeader(text);
  throw fault(
    name,
    `the value is ${isObject(item) ? "an object" : "a list in a list"}; it must be text, a number or a list of these`,
  );
}

function fault(name: string, text: string): SpileError {
  return new SpileError("configuration", `header ${JSON.stringify(name)}: ${text}`);
}

/** Creates a map from headers, those with the lowest precedence first. The last header of a name gives its spelling and its value. */
export function headerMap(entries: Iterable<readonly [name: string, value: Value]>): HeaderMap {
  return new Map([...entries].map(([name, value]) => [name.toLowerCase(), [name, headerText(name, value)]]));
}
