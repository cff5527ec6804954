import { visit } from "jsonc-parser";
import { decodeForm } from "../core/requests/request.ts";
import { isCredential } from "../knowledge/credentials.ts";

/** The place of a credential's value in a text. */
export interface CredentialPlace {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A parameter in the query, the fragment or the path of an address: `?token=x`, `;token=x`; or the password before a host. */
const addressPart = /[?&;#]\s*([^=&?#;/\s"]+)=([^&#;/\s"]+)|:\/\/[^\s/?#:@]*:([^\s/?#@]+)(?=@)/dg;

/** A text among the arguments of a GraphQL document: `password: "x"`. */
const graphqlArgument = /\b([A-Za-z_]\w*)\s*:\s*"([^"\\]+)"/dg;

/**
 * Returns the places of the credentials in a text that is an address, contains addresses, or is JSON or GraphQL. Inside JSON, every
 * text and number below the name of a credential is one.
 */
export function credentialPlaces(text: string): readonly CredentialPlace[] {
  const places = /^\s*[[{]/.test(text) ? placesInJson(text) : placesInAddress(text);
  const isGraphql = places.length === 0 && /^\s*(?:\{|(?:query|mutation|subscription)\b)/.test(text);
  return isGraphql ? placesInGraphql(text) : places;
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
  visit(text, {
    onLiteralValue(value: unknown, offset, length, _line, _character, path) {
      const name = path().findLast((key) => typeof key === "string" && isCredential(key));
      const quote = typeof value === "string" ? 1 : 0;
      if (name === undefined || value === "" || value === null || typeof value === "boolean") return;
      places.push({ name: String(name), start: offset + quote, end: offset + length - quote });
    },
  });
  return places;
}
