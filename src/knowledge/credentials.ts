import { decodeForm } from "../core/requests/request.ts";
import { wordsOf } from "./words.ts";

/** Words that speak of credentials wherever they stand in a name. */
const telling: ReadonlySet<string> = new Set([
  ...[
    "accesskey",
    "apikey",
    "appkey",
    "auth",
    "authentication",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "credentials",
  ],
  ...["jwt", "passphrase", "passwd", "password", "pwd", "secret", "session", "sig", "signature", "token"],
]);

/** Words that make a key a credential: `X-Api-Key` is one, `sort_key` is none. A key alone is one. */
const ofKeys: ReadonlySet<string> = new Set([
  ...[
    "access",
    "api",
    "app",
    "application",
    "auth",
    "client",
    "function",
    "functions",
    "license",
    "private",
    "subscription",
  ],
]);

/** Tokens of these kinds say where a page begins. */
const ofPages: ReadonlySet<string> = new Set([
  ...[
    "page",
    "next",
    "continuation",
    "sync",
    "scroll",
    "cursor",
    "pagination",
    "skip",
    "start",
    "prev",
    "previous",
    "after",
    "before",
  ],
]);

/** Ends of words that are written as one: `DOLAPIKEY`, `accesstoken`, `xsecretkey`. */
const joined =
  /(?:api|access|auth|secret|license|subscription)keys?$|(?<!sync|skip|resumption|pagination)token$|passw|^secret|credential|signature$|^session(?:id|key)$/;

/** Returns whether the name of a header, parameter or field says that its value is a credential. A token of paging is none. */
export function isCredential(name: string): boolean {
  const words = wordsOf(name);
  if (words.includes("token") && words.some((word) => ofPages.has(word))) return false;
  if (words.some((word) => telling.has(word) || joined.test(word))) return true;
  return words.includes("key") && (words.length === 1 || words.some((word) => ofKeys.has(word)));
}

/** A shorter value would mask half of every message. */
const shortestCarried = 8;

/** Returns the credentials that an address carries in its query, decoded: the signature of a download, a token. */
export function carriedCredentials(address: string): readonly string[] {
  const query = /\?([^#]*)/.exec(address)?.[1] ?? "";
  return query.split("&").flatMap((pair) => {
    const equals = pair.indexOf("=");
    const value = equals < 0 ? "" : decodeForm(pair.slice(equals + 1));
    return value.length >= shortestCarried && isCredential(decodeForm(pair.slice(0, equals))) ? [value] : [];
  });
}

/** Returns a header's value fit to be shown: `mask` applied; of a credential by the header's name only a scheme is left. */
export function shownHeader(name: string, value: string, mask: (text: string) => string): string {
  // A short secret is masked only as the whole value of a parameter, which a header's value is like.
  const masked = mask(`=${value}`).slice(1);
  if (!isCredential(name)) return masked;
  const scheme = /^(?:Basic|Bearer|Token|OAuth|AWS4-HMAC-SHA256|Digest) (?=.)/i.exec(masked)?.[0] ?? "";
  return `${scheme}***`;
}

/**
 * Returns an address fit to be shown: `mask` applied, and in its query the values of parameters that are credentials by their
 * names. An asterisk that stands for a secret has been percent-encoded.
 */
export function shownAddress(url: string, mask: (text: string) => string): string {
  const masked = mask(url).replaceAll("%2A%2A%2A", "***");
  const start = masked.indexOf("?");
  return start < 0 ? masked : masked.slice(0, start + 1) + shownPairs(masked.slice(start + 1));
}

/** Returns a request's body fit to be shown: `mask` applied, and the values of fields that are credentials by their names. */
export function shownBody(body: string, mask: (text: string) => string): string {
  const masked = mask(body);
  if (!/^\s*[[{]/.test(masked)) return /^[^\s=&]+=/.test(masked) ? shownPairs(masked) : masked;
  const members = /"((?:[^"\\]|\\.)*)"(?:(\s*:\s*)("(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*)?)?/g;
  return masked.replace(members, (all, name: string, colon: string | undefined, value: string | undefined) =>
    colon !== undefined && value !== undefined && value !== '""' && isCredential(name) ? `"${name}"${colon}"***"` : all,
  );
}

/** Returns the pairs of a query or form without the values of credentials. */
export function shownPairs(pairs: string): string {
  // A name begins behind a separator: one that began anywhere would be searched from each of its characters.
  return pairs.replace(/(?<![^=&?#])([^=&?#]+)=([^&#]+)/g, (all, name: string) =>
    isCredential(decodeForm(name)) ? `${name}=***` : all,
  );
}
