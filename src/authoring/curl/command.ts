import { SpileError } from "../../core/errors.ts";
import { nearest } from "../../core/text/nearest.ts";
import { percentEncode } from "../../core/text/percent-encoding.ts";
import { printable } from "../../core/text/printable.ts";
import { readProxyAddress } from "../../http/connection/proxy-address.ts";
import { describeAddress, textForMessage } from "../address.ts";
import { describeBody, formSpellingNotes } from "../body.ts";
import { configurableHeaders } from "../headers.ts";
import type { RequestDescription } from "../request-description.ts";
import { type CurlOption, type CurlState, curlOptions, type DataKind } from "./options.ts";

export interface CurlRequest {
  readonly description: RequestDescription;
  /** Notes for the user: parts that are left out, with the reasons, and parts that are sent in another form than by curl. */
  readonly notes: readonly string[];
  /** The path and the query as curl sends them; undefined if an address was given instead of a command. */
  readonly target?: string;
}

/** Reads a file named on the command line. */
export type ReadFile = (path: string) => string;

const byLetter = new Map([...curlOptions].flatMap(([name, { short }]) => (short === undefined ? [] : [[short, name]])));

/**
 * Returns the request that curl would send for these arguments, which do not include the word `curl`. Throws usage errors that name
 * the option if it is unknown or if spile cannot do the same.
 */
export function readCurlCommand(words: readonly string[], readFile: ReadFile): CurlRequest {
  const state: CurlState = { urls: [], headers: [], cookies: [], data: [], query: [], notes: [] };
  refuseTypography(words);
  const queue = [...words];
  const take = (name: string, optionText: string, attached?: string): void => {
    const option = curlOptions.get(name) ?? negated(name);
    if (option === undefined) throw unknown(optionText);
    apply(option, optionText, option.value === true ? (attached ?? queue.shift()) : "", state);
  };
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word.startsWith("--") && word.length > 2) take(word.slice(2), word);
    else if (word.startsWith("-") && word.length > 1) takeLetters(word.slice(1), take);
    else state.urls.push(word);
  }
  return requestOf(state, readFile);
}

/**
 * Throws for quotes and hyphens of word processors and chats. A shell does not treat them as quotes and hyphens, so it splits the
 * words in the wrong places.
 */
function refuseTypography(words: readonly string[]): void {
  const found = words.map((word) => /^[\u2018-\u201f\u2013\u2014]/.exec(word)?.[0]).find((sign) => sign !== undefined);
  if (found === undefined) return;
  const right = /[\u2013\u2014]/.test(found) ? "- or --" : "' or \"";
  throw new SpileError("usage", `the command has ${found}, as word processors write it: put ${right} in its place`);
}

/** Returns an option without effect if a name is the negation of a flag that has no effect here, such as `no-compressed`. */
function negated(name: string): CurlOption | undefined {
  const option = name.startsWith("no-") ? curlOptions.get(name.slice(3)) : undefined;
  return option?.value === undefined && option?.set === undefined ? option && {} : undefined;
}

/**
 * Reads a word of short options such as `-sSLH 'name: value'` or `-XPOST`: any number of flags, then perhaps an option with a
 * value, which is the rest of the word or the next word.
 */
function takeLetters(letters: string, take: (name: string, optionText: string, attached?: string) => void): void {
  for (let index = 0; index < letters.length; index += 1) {
    const letter = letters.charAt(index);
    const name = byLetter.get(letter);
    if (name === undefined) throw unknown(`-${letter}`);
    if (curlOptions.get(name)?.value === true) {
      take(name, `-${letter}`, letters.slice(index + 1) || undefined);
      return;
    }
    take(name, `-${letter}`);
  }
}

function apply(option: CurlOption, optionText: string, value: string | undefined, state: CurlState): void {
  if (value === undefined) throw new SpileError("usage", `curl's option ${optionText} needs a value`);
  if (option.refusal !== undefined)
    throw new SpileError("usage", `curl's option ${optionText} is not supported: ${option.refusal}`);
  if (option.ignored !== undefined) state.notes.push(`curl's option ${optionText} is left out: ${option.ignored}`);
  option.set?.(state, value);
}

function unknown(optionText: string): SpileError {
  const [option = ""] = optionText.split("=", 1);
  const meant = nearest(option.replace(/^-+/, ""), [...curlOptions.keys()]);
  const suggestion = meant === undefined ? "" : `, did you mean --${meant}?`;
  return new SpileError(
    "usage",
    `curl's option ${printable(option)}${option === optionText ? "" : "=..."} is unknown to spile${suggestion}`,
  );
}

function requestOf(state: CurlState, readFile: ReadFile): CurlRequest {
  const { urls, notes } = state;
  const [url, second] = urls;
  if (url === undefined) throw new SpileError("usage", "the curl command has no address");
  if (second !== undefined) {
    throw new SpileError(
      "usage",
      `the curl command has several addresses${severalAddresses(urls)}: give one, in quotes`,
    );
  }
  const whole = withScheme(url, state.globOff === true);
  const described = describeAddress(whole);
  const curlHeaders = headersOf(state, readFile);
  const body = bodyText(state, readFile);
  const added = [
    ...(state.get === true && body !== undefined ? [body] : []),
    ...state.query.map((text) => (text.startsWith("+") ? text.slice(1) : pieces.urlencode(text, readFile))),
  ];
  const address = added.reduce(appendQuery, described.address);
  const content = state.get === true ? undefined : body;
  const { method, params, lists } = methodAndBody(state, content, curlHeaders, notes);
  const { headers, notes: headerNotes } = configurableHeaders(curlHeaders, { hasBody: method !== "GET" });
  const description: RequestDescription = {
    method,
    address,
    params,
    lists,
    headers,
    user: state.user === undefined ? described.user : userOf(state.user),
    connectTimeout: seconds(state.connectTimeout, "--connect-timeout"),
    requestTimeout: seconds(state.maxTime, "--max-time"),
    caCertificate: state.authority === undefined ? undefined : readFile(state.authority),
    clientCertificate: certificateOf(state, readFile),
    proxy: proxyOf(state.proxy),
  };
  return { description, notes: [...notes, ...headerNotes], target: targetOf(whole, added) };
}

/** Returns path and query of an address, with pieces added to the query. */
function targetOf(address: string, added: readonly string[]): string {
  const [, path = "", query] = /^[^:]+:\/\/[^/?#]*([^?#]*)(?:\?([^#]*))?/.exec(address) ?? [];
  const pieces = [...(query === undefined || query === "" ? [] : [query]), ...added];
  return `${path === "" ? "/" : path}${pieces.length === 0 ? "" : `?${pieces.join("&")}`}`;
}

/** Lists the words that are certainly addresses, for a message. Others may be parts of a header that is not quoted. */
function severalAddresses(urls: readonly string[]): string {
  const printableUrls = urls.flatMap((url) => (/^https?:/i.test(url) ? (textForMessage(url) ?? []) : []));
  return printableUrls.length === 0
    ? ""
    : ` (${[...printableUrls.map(printable), ...(printableUrls.length < urls.length ? ["..."] : [])].join(", ")})`;
}

function methodAndBody(
  state: CurlState,
  body: string | undefined,
  headers: readonly (readonly [string, string])[],
  notes: string[],
): Pick<RequestDescription, "method" | "params" | "lists"> {
  const method = (state.method ?? (body === undefined ? "GET" : "POST")).toUpperCase();
  if (method !== "GET" && method !== "POST") {
    throw new SpileError(
      "usage",
      `curl's option -X ${/^[A-Z]{1,20}$/.test(method) ? method : "..."} is not supported: spile sends GET and POST`,
    );
  }
  if (body === undefined) {
    if (method === "GET") return { method: "GET", params: [] };
    notes.push("a POST without a body is sent with {} as its body");
    return { method: "POST", params: [] };
  }
  if (method === "GET") notes.push("a GET with a body is sent as a POST");
  const type = headers.findLast(([name]) => name.toLowerCase() === "content-type")?.[1];
  const described = describeBody(body, type);
  if (described.method === "FORM") notes.push(...formSpellingNotes(body));
  if (described.method === "POST" && type === undefined) {
    notes.push("the body is sent as application/json; curl would call it a form");
  }
  if (described.method === "POST" && type !== undefined && !/^application\/json\b/i.test(type)) {
    notes.push(`the body is sent as application/json, not as ${printable(type)}`);
  }
  return described;
}

/** Returns the headers that curl would send. Those of `-H` replace those of other options. */
function headersOf(state: CurlState, readFile: ReadFile): readonly (readonly [name: string, value: string])[] {
  const isJson = state.data.some(({ kind }) => kind === "json");
  const addedHeaders: [string, string | undefined][] = [
    ["Content-Type", isJson ? "application/json" : undefined],
    ["Accept", isJson ? "application/json" : undefined],
    ["Authorization", state.bearer === undefined ? undefined : `Bearer ${state.bearer}`],
    ["User-Agent", state.agent],
    ["Referer", state.referer?.replace(/;auto$/, "")],
    ["Cookie", state.cookies.length === 0 ? undefined : state.cookies.map(cookieOf).join("; ")],
  ];
  const givenHeaders = state.headers.flatMap((text) =>
    text.startsWith("@") ? readFile(text.slice(1)).split(/\r?\n/) : [text],
  );
  const headers = new Map<string, readonly [string, string]>();
  const repeated = new Set<string>();
  for (const [name, value] of addedHeaders)
    if (value !== undefined && value !== "") headers.set(name.toLowerCase(), [name, value]);
  for (const text of givenHeaders) {
    if (text.trim() === "") continue;
    const [, name = "", mark = "", value = ""] = /^([^:;\s]+)\s*([:;])\s*(.*)$/s.exec(text) ?? [];
    if (name === "") throw new SpileError("usage", "a header of the curl command is not of the form 'Name: value'");
    // `Name:` removes a header that curl would add; `Name;` sends it empty.
    if (mark === ":" && value.trim() === "") headers.delete(name.toLowerCase());
    else {
      const key = name.toLowerCase();
      const before = repeated.has(key) ? headers.get(key)?.[1] : undefined;
      // A configuration has one value for each header. In HTTP, a list of values means the same as several lines.
      headers.set(key, [
        name,
        before === undefined ? value.trim() : `${before}${key === "cookie" ? "; " : ", "}${value.trim()}`,
      ]);
      if (before !== undefined) state.notes.push(`the values of the header ${printable(name)} are sent in one line`);
      repeated.add(key);
    }
  }
  return [...headers.values()];
}

function cookieOf(cookie: string): string {
  if (cookie.includes("=") || cookie === "") return cookie;
  throw new SpileError(
    "usage",
    `curl's option -b names a file of cookies: write the cookies themselves, as name=value; name=value`,
  );
}

/** Returns the body that curl would make from its data options; undefined if there are none. */
function bodyText(state: CurlState, readFile: ReadFile): string | undefined {
  if (state.data.length === 0) return undefined;
  const separator = state.data.every(({ kind }) => kind === "json") ? "" : "&";
  return state.data.map(({ kind, text }) => pieces[kind](text, readFile)).join(separator);
}

const pieces: { readonly [Kind in DataKind]: (text: string, readFile: ReadFile) => string } = {
  data: (text, readFile) => (text.startsWith("@") ? readFile(text.slice(1)).replace(/[\r\n]/g, "") : text),
  raw: (text) => text,
  binary: (text, readFile) => (text.startsWith("@") ? readFile(text.slice(1)) : text),
  json: (text, readFile) => (text.startsWith("@") ? readFile(text.slice(1)) : text),
  // `content`, `=content`, `name=content`, `@file` or `name@file`: the first = or @ decides.
  urlencode(text, readFile) {
    const [, name = "", mark = "=", rest = text] = /^([^=@]*)([=@])(.*)$/s.exec(text) ?? [];
    const encoded = percentEncode(mark === "@" ? readFile(rest) : rest).replaceAll("%20", "+");
    return name === "" ? encoded : `${name}=${encoded}`;
  },
};

/** Returns the address of a proxy. Without a scheme it is http. */
function proxyOf(proxy: string | undefined): string | undefined {
  if (proxy === undefined || proxy === "") return undefined;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
  if (readProxyAddress(proxy) !== undefined && printable(address) === address) return address;
  throw new SpileError(
    "usage",
    "curl's option -x names a proxy that is not an http address: spile goes through http proxies",
  );
}

function withScheme(url: string, isGlobOff: boolean): string {
  // Browsers write a backslash before brackets and braces in an address. Without --globoff, curl removes it.
  const escaped = /\\([[\]{}])/g;
  const ranges = isGlobOff
    ? []
    : (url.replace(escaped, " ").match(/\[[0-9a-z]+-[0-9a-z]+(?::[0-9]+)?\]|\{[^{}]*\}/gi) ?? []);
  const range = ranges.find((text) => text.startsWith("[") || text.includes(","));
  if (range !== undefined) {
    throw new SpileError(
      "usage",
      `curl would make several addresses of ${/^.[\w,:-]{1,30}.$/.test(range) ? range : "[...] or {...}"}: give one of them, and spile finds the paging`,
    );
  }
  const address = isGlobOff ? url : url.replace(escaped, "$1");
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
}

function appendQuery(address: string, query: string): string {
  const url = new URL(address);
  url.search = [url.search.slice(1), query].filter((part) => part !== "").join("&");
  return url.href;
}

function certificateOf({ certificate, key }: CurlState, readFile: ReadFile): RequestDescription["clientCertificate"] {
  if (certificate === undefined) return undefined;
  if (/^(?:[A-Za-z]:[\\/])?[^:]*:/.test(certificate) && !/^[A-Za-z]:[\\/][^:]*$/.test(certificate)) {
    throw new SpileError("usage", "curl's option -E has a passphrase: give a certificate whose key has none");
  }
  const files = [certificate, ...(key === undefined ? [] : [key])];
  if (files.some((file) => printable(file) !== file))
    throw new SpileError(
      "usage",
      "curl's options -E and --key name a file whose name contains control characters: rename the file",
    );
  return { files, text: files.map(readFile).join("\n") };
}

/** Reads `name:password`. With a name alone curl would ask for the password. */
function userOf(text: string): { readonly name: string; readonly password: string } {
  const colon = text.indexOf(":");
  if (colon < 0)
    throw new SpileError(
      "usage",
      "curl's option -u has no password: write it as name:password, or as name: if there is none",
    );
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

function seconds(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const number = /^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(number)) return number;
  throw new SpileError("usage", `curl's option ${option} needs a number of seconds`);
}
