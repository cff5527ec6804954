import { SpileError } from "../../core/errors.ts";
import { percentEncode } from "../../core/text/percent-encoding.ts";
import { scalarText } from "../../core/values/value.ts";
import type { Substitution } from "../plan.ts";

/**
 * Returns an endpoint with its placeholders replaced, all at once: a value is never searched for placeholders. A value is
 * percent-encoded for its place, except for `/`, unless it has a `raw` text (a function's result, a batch) or is itself an address
 * (`http://`, `https://`, `/`) at the endpoint's very beginning (contract C-11.4). Other text stays as it is written. Throws
 * SpileError `data` if a value makes a segment `.` or `..`, or turns a path into the address of another host.
 */
export function substitute(endpoint: string, substitutions: readonly Substitution[]): string {
  const substitutionByText = new Map(substitutions.map((substitution) => [`{${substitution.name}}`, substitution]));
  const pieces = endpoint.split(/(\{[^{}]*\})/);
  // The first piece is the text in front of the first braces.
  const beginsWithValue = pieces[0] === "" && substitutionByText.has(pieces[1] ?? "");
  let path = "";
  // The path with a harmless text in place of each value.
  let harmless = "";
  for (const [index, piece] of pieces.entries()) {
    const substitution = substitutionByText.get(piece);
    if (substitution === undefined) {
      path += piece;
      harmless += piece;
      continue;
    }
    const { raw } = substitution;
    const text = raw ?? scalarText(substitution.value) ?? "";
    const isAddress = beginsWithValue && index === 1 && /^(https?:\/\/|\/)/i.test(text);
    path += raw !== undefined || isAddress ? text : encodeForPath(text);
    // An address may contain the segments `.` and `..`, since it is used only if its origin may be requested. A value inside a
    // path may not.
    harmless += isAddress ? text : "x";
  }
  if (dotSegments(path) > dotSegments(harmless))
    throw misplaced(substitutions, endpoint, "would change the path of the address");
  if (!beginsWithValue && isHostRelative(path) && !isHostRelative(endpoint)) {
    throw misplaced(substitutions, endpoint, "would make the path an address of another host");
  }
  return path;
}

/** Returns a value percent-encoded for an address, except `/`. */
export function encodeForPath(text: string): string {
  return percentEncode(text).replaceAll("%2F", "/");
}

/** Counts the segments `.` and `..` in a path. As in the URL standard, `\` is `/`, and tabs and line breaks are dropped. */
function dotSegments(endpoint: string): number {
  const path = endpoint.replace(/[\t\r\n]/g, "").split(/[?#]/, 1)[0] ?? "";
  return path.split(/[/\\]/).filter((segment) => /^(\.|%2e){1,2}$/i.test(segment)).length;
}

function isHostRelative(endpoint: string): boolean {
  return /^[/\\]{2}/.test(endpoint.replace(/[\t\r\n]/g, ""));
}

function misplaced(substitutions: readonly Substitution[], endpoint: string, what: string): SpileError {
  const values = substitutions
    .filter(({ name }) => endpoint.includes(`{${name}}`))
    .map(({ name, value }) => `${JSON.stringify(name)}: the value ${JSON.stringify(scalarText(value))}`);
  return new SpileError("data", `placeholder ${values.join(", ")} ${what}`);
}
