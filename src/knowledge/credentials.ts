import { decodeForm } from "../core/requests/request.ts";
import { stringEnd } from "../core/text/json-strings.ts";
import { wordsOf } from "./words.ts";

/** Words that mean a credential anywhere in a name, except `token` in the name of a token of paging. */
const credentialWords: ReadonlySet<string> = new Set([
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

/**
 * Words that, beside "key", make a name a credential: `X-Api-Key`, but not `sort_key`. The word `key` alone means a credential.
 */
const keyWords: ReadonlySet<string> = new Set([
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

/** Words beside "token" in the names of tokens that say where a page begins. */
const pageWords: ReadonlySet<string> = new Set([
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

/** Parts of names that are written as one word: `DOLAPIKEY`, `accesstoken`, `xsecretkey`. */
const joinedNames =
  /(?:api|access|auth|secret|license|subscription)keys?$|(?<!sync|skip|resumption|pagination)token$|passw|^secret|credential|signature$|^j?session(?:id|key)$|^(?:php)?sessid$/;

/** Returns whether the name of a header, parameter or field means a credential. A token of paging does not. */
export function isCredential(name: string): boolean {
  const words = wordsOf(name);
  if (words.includes("token") && words.some((word) => pageWords.has(word))) return false;
  if (words.some((word) => credentialWords.has(word) || joinedNames.test(word))) return true;
  return words.includes("key") && (words.length === 1 || words.some((word) => keyWords.has(word)));
}

/** Minimum number of characters of a credential in an address. Masking a shorter one would hide half of every message. */
const shortestCarried = 8;

/** Returns the decoded credentials in the query of an address, such as the signature of a download or a token. */
export function credentialsInAddress(address: string): readonly string[] {
  const query = /\?([^#]*)/.exec(address)?.[1] ?? "";
  return query.split("&").flatMap((pair) => {
    const equals = pair.indexOf("=");
    const value = equals < 0 ? "" : decodeForm(pair.slice(equals + 1));
    return value.length >= shortestCarried && isCredential(decodeForm(pair.slice(0, equals))) ? [value] : [];
  });
}

/**
 * Returns the value of a header for display: masked. If the header's name means a credential, only the value's scheme is left.
 */
export function shownHeader(name: string, value: string, mask: (text: string) => string): string {
  // `mask` masks a short secret only if it is the whole value of a parameter, so the header's value is masked as a parameter:
  // `=value`.
  const masked = mask(`=${value}`).slice(1);
  if (!isCredential(name)) return masked;
  const scheme = /^(?:Basic|Bearer|Token|OAuth|AWS4-HMAC-SHA256|Digest) (?=.)/i.exec(masked)?.[0] ?? "";
  return `${scheme}***`;
}

/**
 * Returns an address for display: masked, and without the values of parameters whose names mean credentials. The asterisks of a
 * masked secret may be percent-encoded in an address, and are decoded.
 */
export function shownAddress(url: string, mask: (text: string) => string): string {
  const masked = mask(url).replaceAll("%2A%2A%2A", "***");
  const start = masked.indexOf("?");
  return start < 0 ? masked : masked.slice(0, start + 1) + shownPairs(masked.slice(start + 1));
}

/** Returns the body of a request for display: masked, and without the values of fields whose names mean credentials. */
export function shownBody(body: string, mask: (text: string) => string): string {
  const masked = mask(body);
  if (!/^\s*[[{]/.test(masked)) return /^[^\s=&]+=/.test(masked) ? shownPairs(masked) : masked;
  return shownJson(masked);
}

const colonThere = /\s*:\s*/y;
const numberThere = /-?[0-9][0-9.eE+-]*/y;

/**
 * Returns a JSON text without the strings and numbers of fields whose names mean credentials. The text may break off anywhere.
 */
function shownJson(text: string): string {
  const pieces: string[] = [];
  let place = 0;
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', place)) {
    const end = stringEnd(text, start);
    if (end === undefined) break;
    const valueStart = matchEnd(colonThere, text, end) ?? end;
    pieces.push(text.slice(place, valueStart));
    place = valueStart;
    if (valueStart === end) continue;
    const valueEnd = text[valueStart] === '"' ? stringEnd(text, valueStart) : matchEnd(numberThere, text, valueStart);
    if (valueEnd === undefined) continue;
    const value = text.slice(valueStart, valueEnd);
    pieces.push(value !== '""' && isCredential(text.slice(start + 1, end - 1)) ? '"***"' : value);
    place = valueEnd;
  }
  return pieces.join("") + text.slice(place);
}

/** Returns the place after the match of a sticky pattern at a place; undefined if it does not match. */
function matchEnd(pattern: RegExp, text: string, place: number): number | undefined {
  pattern.lastIndex = place;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Returns the pairs of a query or form for display, without the values of credentials. */
export function shownPairs(pairs: string): string {
  // A name must begin after a separator. Otherwise the search would start anew at each character of a name.
  return pairs.replace(/(?<![^=&?#])([^=&?#]+)=([^&#]+)/g, (all, name: string) =>
    isCredential(decodeForm(name)) ? `${name}=***` : all,
  );
}
