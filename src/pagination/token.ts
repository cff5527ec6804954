import { SpileError } from "../core/errors.ts";
import type { Watched } from "../core/runs/page.ts";
import { printable, shortText } from "../core/text/printable.ts";
import { isZeroText } from "../core/values/emptiness.ts";
import { exactNumber, parseValue, type Value } from "../core/values/value.ts";

/** A value of a response as plain JSON. `text`: a string itself, a number as its digits, a list or an object as JSON. */
export type Token = { readonly type: "boolean" | "number" | "string" | "array" | "object"; readonly text: string };

/** Returns the token of a watched value. Undefined if the value is missing, null, "", "0", 0, false, [] or {} (contract C-6.23). */
export function tokenOf(watched: Watched | undefined): Token | undefined {
  if (watched === undefined || watched.type === "null") return undefined;
  const { type, text, empty } = watched;
  const isEmpty = {
    boolean: text === "false",
    number: isZeroText(text),
    string: text === "" || text === "0",
    array: empty,
    object: empty,
  }[type];
  return isEmpty ? undefined : { type, text };
}

export function tokenValue(token: Token): Value {
  if (token.type === "number") return exactNumber(token.text);
  if (token.type === "array" || token.type === "object") return parseValue(token.text);
  return token.type === "boolean" ? true : token.text;
}

/** Returns an error for a list or an object whose text is missing because it is longer than a watched value may be. */
export function tooLong({ type, text }: Token, name: string): SpileError | undefined {
  if (text !== "" || (type !== "array" && type !== "object")) return undefined;
  return new SpileError("data", `${name} is a list or object that is too long to be sent`);
}

/** Returns a token for a message: at most 120 characters, with control characters escaped. */
export function printableToken(text: string): string {
  return printable(shortText(text, 120));
}
