import { type JSONVisitor, visit } from "jsonc-parser";
import { SpileError } from "../core/errors.ts";
import { decodeForm } from "../core/requests/request.ts";
import { isCredential } from "../knowledge/credentials.ts";

/** The place of a credential's value in a text. */
export interface CredentialPlace {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The beginning of a JSON text with members or elements. A selection of GraphQL has no quote after its brace. */
const jsonBeginning = /^\s*(?:\[|\{\s*")/;

/** The beginning of a GraphQL document, after its comments. */
const graphqlBeginning = /^\s*(?:#.*\n\s*)*(?:\{|(?:query|mutation|subscription|fragment)\b)/;

/** A parameter in the query, the fragment or the path of an address: `?token=x`, `;token=x`; or the password before a host. */
const addressPart = /[?&;#]\s*([^=&?#;/\s"]+)=([^&#;/\s"]+)|:\/\/[^\s/?#:@]*:([^\s/?#@]+)(?=@)/dg;

/** A text among the arguments of a GraphQL document: `password: "x"`. */
const graphqlArgument = /\b([A-Za-z_]\w*)\s*:\s*"((?:[^"\\\n]|\\.)+)"/dg;

/**
 * Returns the places of the credentials in a text that is an address, contains addresses, or is JSON or GraphQL. Inside JSON, every
 * text and number below the name of a credential is one. Throws SpileError `data` if values are nested thousands of levels deep.
 */
export function credentialPlaces(text: string): readonly CredentialPlace[] {
  const places = jsonBeginning.test(text)
    ? placesInJson(text)
    : graphqlBeginning.test(text)
      ? placesInGraphql(text)
      : [];
  let end = 0;
  // An address may be inside the value of a credential. Then the whole value is the credential.
  return [...places, ...placesInAddress(text)]
    .sort((a, b) => a.start - b.start)
    .filter((place) => {
      if (place.start < end) return false;
      end = place.end;
      return true;
    });
}

function placesInGraphql(text: string): readonly CredentialPlace[] {
  return [...text.matchAll(graphqlArgument)].flatMap(({ 1: name = "", indices }) => {
    const [start, end] = indices?.[2] ?? [0, 0];
    // In GraphQL, `key` usually names a field.
    return name !== "key" && isCredential(name) ? [{ name, start, end }] : [];
  });
}

function placesInAddress(text: string): readonly CredentialPlace[] {
  return [...text.matchAll(addressPart)].flatMap(({ 1: rawName, indices }) => {
    const name = rawName === undefined ? "password" : decodeForm(rawName);
    const [start, end] = indices?.[rawName === undefined ? 3 : 2] ?? [0, 0];
    return isCredential(name) ? [{ name, start, end }] : [];
  });
}

function placesInJson(text: string): readonly CredentialPlace[] {
  const places: CredentialPlace[] = [];
  const onLiteralValue: JSONVisitor["onLiteralValue"] = (value: unknown, offset, length, _line, _character, path) => {
    const name = path().findLast((key) => typeof key === "string" && isCredential(key));
    const quote = typeof value === "string" ? 1 : 0;
    if (name === undefined || value === "" || value === null || typeof value === "boolean") return;
    places.push({ name: String(name), start: offset + quote, end: offset + length - quote });
  };
  try {
    visit(text, { onLiteralValue });
  } catch (error) {
    // The parser calls itself once for each level, so thousands of levels exceed the stack.
    if (error instanceof RangeError) throw new SpileError("data", "a value is nested too deeply to be read");
    throw error;
  }
  return places;
}
