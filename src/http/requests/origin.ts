import { isUtf8 } from "node:buffer";
import { SpileError } from "../../core/errors.ts";
import {
  type HeaderMap,
  type QueryItem,
  type QueryStyle,
  type Request,
  splitAddress,
  type WireRequest,
} from "../../core/requests/request.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import { defaultHeaders } from "./headers.ts";
import { itemText, queryText } from "./query.ts";

/** The last address and its origin. Most pages of a job differ only in the query, which is not part of `Request.url`. */
let latest = { address: "", origin: "" };

/** Returns scheme, host and port of an http(s) address. */
export function originOf(address: string): string {
  if (address !== latest.address) latest = { address, origin: new URL(address).origin };
  return latest.origin;
}

/** Headers that requests to untrusted origins may carry. */
const harmless = ["accept", "accept-encoding", "accept-language", "user-agent"];

/**
 * Returns the headers that any origin may see. A header that contains a secret is replaced by its default value, or left out if it
 * has none.
 */
function harmlessHeaders(headers: HeaderMap, secrets: Secrets): Map<string, readonly [name: string, value: string]> {
  return new Map(
    harmless.flatMap((name) => {
      const header = headers.get(name);
      const safeHeader = header !== undefined && secrets.holds(header[1]) ? defaultHeaders.get(name) : header;
      return safeHeader === undefined ? [] : [[name, safeHeader] as const];
    }),
  );
}

/**
 * Returns the address that is really requested. An `http:` address on the host and default port of a trusted `https:` origin
 * becomes https, so that no credentials are sent unencrypted: many servers behind a TLS proxy give addresses with http.
 */
function securedAddress(address: string, isTrusted: (origin: string) => boolean): string {
  if (!address.startsWith("http:")) return address;
  const origin = originOf(address);
  if (isTrusted(origin) || /:\d+$/.test(origin)) return address;
  const secure = secureOrigin(origin);
  return isTrusted(secure) ? secure + address.slice(origin.length) : address;
}

/** Returns the request with the address that is really requested. */
export function securedRequest(request: Request, isTrusted: (origin: string) => boolean): Request {
  const url = securedAddress(request.url, isTrusted);
  return url === request.url ? request : { ...request, url };
}

/** Returns the origin with https instead of http. The port stays, but the default port becomes that of https. */
export function secureOrigin(origin: string): string {
  return origin.replace(/^http:/, "https:");
}

/** Returns whether the origin has port 0, as in `http://host:0`. Node would use the default port instead. */
export function hasPortZero(origin: string): boolean {
  return origin.endsWith(":0");
}

/**
 * Returns the parameters that contain no secret and no part of a secret. An unencoded secret that contains `&` becomes several
 * parameters.
 */
function itemsWithoutSecrets<T extends QueryItem>(items: readonly T[], secrets: Secrets, style?: QueryStyle): T[] {
  const texts = items.map((item) => itemText(item, style));
  // A secret in an address that the API gave may be sent to that address.
  const spans = secrets.spans(texts.join("&"), { carried: false });
  if (spans.length === 0) return [...items];
  let from = 0;
  const places = texts.map((text) => {
    const place = { from, to: from + text.length };
    from = place.to + 1;
    return place;
  });
  return items.filter((_, index) => {
    const place = places[index];
    return place !== undefined && !spans.some((span) => span.from < place.to && span.to > place.from);
  });
}

/**
 * Returns the request as an untrusted origin may get it: with harmless headers only, and without parameters that contain secrets.
 */
export function requestForUntrusted(request: Request, secrets: Secrets): Request {
  // The Content-Type stays, because a server cannot read the body without it.
  const contentType = request.body === undefined ? undefined : request.headers.get("content-type");
  const headers = harmlessHeaders(request.headers, secrets);
  if (contentType !== undefined) headers.set("content-type", contentType);
  return {
    ...request,
    query: itemsWithoutSecrets(request.query, secrets, request.style),
    body: request.body === undefined ? undefined : itemsWithoutSecrets(request.body, secrets, request.style),
    headers,
  };
}

/** Maximum number of redirects that are followed. */
const maxRedirects = 10;
const followedStatuses = [301, 302, 303, 307, 308];

export function isRedirect(status: number, location: string | undefined): location is string {
  return followedStatuses.includes(status) && location !== undefined;
}

/** Decodes a Location header. Node gives its bytes as Latin-1; an unencoded address is UTF-8, as browsers read it. */
function addressIn(location: string): string {
  const bytes = Buffer.from(location, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : location;
}

/** One request of a chain of redirects. */
export interface Hop {
  readonly wire: WireRequest;
  /** True if this address and all addresses before it are on trusted origins. */
  readonly trusted: boolean;
}

/**
 * Returns the request that follows a redirect. 301, 302 and 303 turn POST into GET, 307 and 308 keep it. An untrusted origin gets
 * only harmless headers and no secrets, and so does every address after it. Throws SpileError (refused), whose message begins with
 * `where`, for a redirect that is not followed.
 */
export function followRedirect(
  from: Hop,
  redirect: { readonly status: number; readonly location: string; readonly count: number },
  rules: { readonly isTrusted: (origin: string) => boolean; readonly secrets: Secrets; readonly where: string },
): Hop {
  const { status, count } = redirect;
  const location = addressIn(redirect.location);
  const refuse = (text: string): SpileError => new SpileError("refused", `${rules.where}: answered ${status}, ${text}`);
  const maskedLocation = rules.secrets.mask(location);
  if (count > maxRedirects) throw refuse(`the ${count}th redirect in a row; at most ${maxRedirects} are followed`);
  const resolved = URL.canParse(location, from.wire.url) ? new URL(location, from.wire.url) : undefined;
  if (resolved === undefined || hasPortZero(resolved.origin)) {
    throw refuse(`a redirect to ${JSON.stringify(maskedLocation)}, which is not an address`);
  }
  const to = new URL(securedAddress(resolved.href, rules.isTrusted));
  if (to.protocol !== "http:" && to.protocol !== "https:") {
    throw refuse(`a redirect to ${maskedLocation}; only http and https are followed`);
  }
  const keeps = status === 307 || status === 308 || from.wire.method === "GET";
  if (keeps && from.wire.body !== undefined && to.origin !== originOf(from.wire.url)) {
    throw refuse(
      `a redirect of a ${from.wire.method} with its body to another origin, ${to.origin}; it is not followed`,
    );
  }
  const trusted = from.trusted && rules.isTrusted(to.origin);
  const { url, query } = splitAddress(to);
  const text = queryText(trusted ? query : itemsWithoutSecrets(query, rules.secrets));
  const headers = trusted ? new Map(from.wire.headers) : harmlessHeaders(from.wire.headers, rules.secrets);
  if (!keeps) headers.delete("content-type");
  return {
    trusted,
    wire: {
      method: keeps ? from.wire.method : "GET",
      url: text === "" ? url : `${url}?${text}`,
      headers,
      body: keeps ? from.wire.body : undefined,
    },
  };
}
