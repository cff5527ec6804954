import { SpileError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import type { RequestDescription } from "./request-description.ts";

/** The GET request of an address; user and password in it are HTTP Basic. Throws a usage error where it is no http(s) address. */
export function describeAddress(text: string): RequestDescription {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    throw new SpileError("usage", `${JSON.stringify(printable(withoutUser(text)))} is not an http or https address`);
  }
  const { username, password } = url;
  const user = username === "" && password === "" ? undefined : { name: decode(username), password: decode(password) };
  url.username = "";
  url.password = "";
  url.hash = "";
  return { method: "GET", address: url.href, params: [], headers: [], user };
}

function withoutUser(text: string): string {
  return text.replace(/\/\/[^/@]*@/, "//***@");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
