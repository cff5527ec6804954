import { SpileError } from "../core/errors.ts";
import { withoutUser } from "../core/secrets/without-user.ts";
import { printable } from "../core/text/printable.ts";
import type { RequestDescription } from "./request-description.ts";

/**
 * Describes a GET request to an address, without its fragment. A user name and a password in it become HTTP Basic. Throws a usage
 * error if the text is not an http(s) address.
 */
export function describeAddress(text: string): RequestDescription {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    const safeText = textForMessage(text);
    const subject = safeText === undefined ? "the given text" : JSON.stringify(printable(safeText));
    throw new SpileError("usage", `${subject} is not an http or https address`);
  }
  const { username, password } = url;
  const user = username === "" && password === "" ? undefined : { name: decode(username), password: decode(password) };
  url.username = "";
  url.password = "";
  url.hash = "";
  return { method: "GET", address: url.href, params: [], headers: [], user };
}

/**
 * Returns the part of a text that an error message may show: an address without user, password, query, fragment and the parameters of its
 * path, or the name of a file. Returns undefined for any other text, because it may be a secret.
 */
export function textForMessage(text: string): string | undefined {
  if (/^[\w./-]{1,60}\.(?:json|ya?ml|har|txt)$/i.test(text)) return text;
  return /^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(text) ? withoutUser(text).replace(/[?#;\s].*$/s, "") : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
