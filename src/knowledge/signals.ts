import { type Evidence, type Watched, watchedOf, watchKey } from "../core/runs/page.ts";
import type { ListPick } from "../core/runs/response-source.ts";
import { printable } from "../core/text/printable.ts";
import { type Path, pathText } from "../core/values/path.ts";
import { isObject } from "../core/values/value.ts";
import type { ExchangeFacts } from "./exchange-facts.ts";
import { isPlaceName, namesData, type Role, roleOf } from "./fields.ts";
import { headerRoles, rangeTotal } from "./headers.ts";
import { linkTarget } from "./link-header.ts";
import { isFullPage, sentValues } from "./parameters.ts";
import { parsedText } from "./parsed-text.ts";
import {
  addsParameter,
  digitsOf,
  holdsNumbers,
  isAddress,
  isLinks,
  isOfLink,
  isTarget,
  isTimeZone,
  isUnset,
  isVoid,
  leadingText,
  nextRelation,
  truthOf,
} from "./values.ts";

/** The place of a sign of more records: a path of the body, a header, or a member of a header that contains an object. */
export type SignalPlace = { readonly path: Path } | { readonly header: string; readonly member?: string };

/** A number of records or pages. */
export interface Figure {
  readonly kind: "total" | "count" | "pages";
  readonly origin: SignalPlace;
  /** The number as digits. */
  readonly text: string;
}

/** A sign that there is a page after this one: a flag, an address, a token, a list of links, a `Link` header. */
export interface More {
  readonly kind: "flag" | "address" | "token" | "list" | "link";
  readonly origin: SignalPlace;
  /** A clause that follows the place: `is true`. */
  readonly says: string;
  /** The address or token; undefined for a flag, and for a value that was too long to be read. */
  readonly value?: string;
  /** For a list of links, the choice of the element and of the address in it. */
  readonly pick?: ListPick;
  /** For a token that is an object: sent as `whole` it is one parameter, else each of its `members` is one. */
  readonly object?: "whole" | "members";
}

/** A sign that this page is the last. It silences weaker signs. */
export interface End {
  readonly kind: "flag" | "address";
  readonly origin: SignalPlace;
  readonly says: string;
}

/** Everything that an exchange says about more records, in the order of its fields and headers. */
export interface Signals {
  readonly figures: readonly Figure[];
  readonly more: readonly More[];
  readonly ends: readonly End[];
}

/** Returns the name of a place for people: `"meta.total"`, `the header X-Total-Count`, `"TotalCount" of the header X-Pagination`. */
export function signalPlaceName(origin: SignalPlace): string {
  if ("path" in origin) return `"${printable(pathText(origin.path))}"`;
  const { header, member } = origin;
  return member === undefined ? `the header ${header}` : `"${printable(member)}" of the header ${header}`;
}

/** Returns everything that an exchange says about more records. `size`: the page size that paging asks for. */
export function signalsOf(exchange: ExchangeFacts, size?: number): Signals {
  const figures: Figure[] = [];
  const more: More[] = [];
  const ends: End[] = [];
  for (const source of sourcesOf(exchange)) {
    const reading = readField(source, exchange, size);
    if (reading === undefined) continue;
    if ("text" in reading) figures.push(reading);
    else if (reading.isEnd === true)
      ends.push({ kind: reading.kind === "flag" ? "flag" : "address", origin: source.origin, says: reading.says });
    else more.push(reading);
  }
  return { figures, more, ends };
}

/** Returns the totals and numbers of pages that a page reports. */
export function figuresOf(exchange: ExchangeFacts, size: number | undefined): readonly Figure[] {
  return signalsOf(exchange, size).figures;
}

/**
 * Returns the signs that there is a page after this one. A flag outweighs an address, and an address outweighs a token: a sign of
 * the end silences the weaker kinds. `reached`: true if a total says that all records came. An address does not outweigh such a
 * total.
 */
export function moreOf(exchange: ExchangeFacts, { reached = false } = {}): readonly More[] {
  const { more, ends } = signalsOf(exchange);
  if (more.some(({ kind }) => kind === "flag")) return more;
  if (reached || ends.some(({ kind }) => kind === "flag")) return [];
  return more.some(({ kind }) => kind !== "token") || ends.length === 0 ? more : [];
}

/** Returns whether a flag of the API says that this page is the last, and no flag says that there is more. */
export function saysEnd(exchange: ExchangeFacts): boolean {
  const { more, ends } = signalsOf(exchange);
  return ends.some(({ kind }) => kind === "flag") && more.every(({ kind }) => kind !== "flag");
}

/** A field or header with the meaning of its name, and the fields beside it. */
interface Source {
  readonly origin: SignalPlace;
  readonly role: Role;
  readonly value: Watched;
  /** The name of the object that contains it; "" for the root and for headers. */
  readonly parent: string;
  readonly beside: readonly Neighbour[];
  /** True if it is in the object that directly contains the records, or in one whose name is about paging. */
  readonly isNear: boolean;
}

interface Neighbour {
  readonly role: Role;
  readonly value: Watched;
}

type Reading = Figure | (More & { readonly isEnd?: true });

/** Lists the fields and headers of an exchange that have a meaning. */
function sourcesOf(exchange: ExchangeFacts): readonly Source[] {
  return [...bodySources(exchange.evidence, exchange.dataPath), ...headerSources(exchange)];
}

function bodySources(evidence: readonly Evidence[], dataPath: Path | undefined): Source[] {
  const groups = new Map<string, Neighbour[]>();
  const named = evidence.flatMap(({ path, value }) => {
    const role = roleOf(path.at(-1) ?? "");
    if (role === undefined) return [];
    const around = watchKey(path.slice(0, -1));
    const group = groups.get(around) ?? [];
    groups.set(around, group);
    group.push({ role, value });
    return [{ path, role, value, beside: group }];
  });
  const holder = dataPath === undefined ? undefined : watchKey(dataPath.slice(0, -1));
  return named.map(({ path, ...rest }) => {
    const parent = path.at(-2) ?? "";
    const isHolder = path.length === 1 || (holder !== undefined && watchKey(path.slice(0, -1)) === holder);
    return { origin: { path }, parent, isNear: isHolder || isPlaceName(parent), ...rest };
  });
}

function headerSources({ headerNames, header }: ExchangeFacts): Source[] {
  return headerRoles(headerNames).flatMap(({ name, role }): Source[] => {
    const text = header(name)?.trim() ?? "";
    if (text === "") return [];
    if (role === "fields") return memberSources(name, text);
    const value: Watched = { type: "string", text: role === "range" ? (rangeTotal(text) ?? "") : text, empty: false };
    const link = role === "relation" ? linkTarget(text, "next") : undefined;
    if (role === "relation") {
      const links: Role = { kind: "links", words: [] };
      const target: Watched = { type: "string", text: link ?? "", empty: link === undefined };
      return [{ origin: { header: name }, role: links, value: target, parent: "", beside: [], isNear: true }];
    }
    const meaning: Role = role === "range" ? { kind: "total", words: [] } : role;
    return [{ origin: { header: name }, role: meaning, value, parent: "", beside: [], isNear: true }];
  });
}

/** Returns the members of a header that contains an object (`X-Pagination`), as fields beside the records. */
function memberSources(header: string, text: string): Source[] {
  const object = parsedText(text);
  if (!isObject(object)) return [];
  const evidence = Object.entries(object).map(([name, value]): Evidence => ({ path: [name], value: watchedOf(value) }));
  return bodySources(evidence, undefined).map((source) => {
    const member = "path" in source.origin ? pathText(source.origin.path) : "";
    return { ...source, origin: { header, member } };
  });
}

function readField(source: Source, exchange: ExchangeFacts, size: number | undefined): Reading | undefined {
  const { role } = source;
  if (role.ofData === true && !namesData(role, dataNames(exchange))) return undefined;
  switch (role.kind) {
    case "total":
    case "count":
      return figure(source, size, exchange.records);
    case "pages":
      return figure(source, size, exchange.records) ?? lastPage(source);
    case "more":
    case "last":
      return flag(source) ?? linkNamedMore(source, exchange);
    case "links":
      return links(source);
    case "end":
      return isUnset(source.value)
        ? undefined
        : { kind: "address", origin: source.origin, says: "is set", isEnd: true };
    case "next":
      return next(source, exchange);
    case "back":
      return back(source, exchange);
    case "token":
      return token(source, exchange);
    default:
      return undefined;
  }
}

function dataNames({ dataPath }: ExchangeFacts): readonly string[] {
  return dataPath?.slice(-1) ?? [];
}

function figure(
  { role, origin, value, beside }: Source,
  size: number | undefined,
  records: number,
): Figure | undefined {
  const { kind } = role;
  if (kind !== "total" && kind !== "count" && kind !== "pages") return undefined;
  const text = digitsOf(value, kind === "total", "header" in origin);
  if (text === undefined) return undefined;
  const isPageSize =
    kind === "count" && role.words.length < 2 && (text === String(size) || beside.some((one) => saysPage(one.role)));
  const isOwnCount = kind === "pages" && role.words.join(" ") === "page count" && countsRecords(text, beside, records);
  return isPageSize || isOwnCount ? undefined : { kind, origin, text };
}

/** Returns whether a `page_count` is the page's number of records: the total beside it fits into fewer pages. */
function countsRecords(pages: string, beside: readonly Neighbour[], records: number): boolean {
  const counts = beside.filter(({ role }) => role.kind === "total" || role.kind === "count");
  return pages === String(records) && counts.some(({ value }) => Number(value.text) <= (records - 1) * records);
}

/** Returns whether the field shows that a `count` beside it counts only the records of the page. */
function saysPage({ words }: Role): boolean {
  return words.length === 1 && /^(start|offset|skip|limit|size)$/.test(words[0] ?? "");
}

function flag({ role, origin, value, beside }: Source): Reading | undefined {
  const truth = truthOf(value, role.numeric === true);
  if (truth === undefined) return undefined;
  if (role.needsNext === true && !beside.some((one) => one.role.kind === "next" || one.role.kind === "token"))
    return undefined;
  const isMore = truth === (role.kind === "more");
  if (!isMore && role.ends !== true) return undefined;
  const says = `is ${value.text}`;
  return isMore ? { kind: "flag", origin, says } : { kind: "flag", origin, says, isEnd: true };
}

/** Reads `last_page` as a flag if it is true or false, unless false means that an address is missing. */
function lastPage(source: Source): Reading | undefined {
  const { role, value, beside } = source;
  const isMissing = beside.some((one) => one.role.kind === "next" && isUnset(one.value));
  const isFlag = role.words[0] === "last" && value.type === "boolean" && !isMissing;
  return isFlag ? flag({ ...source, role: { ...role, kind: "last", ends: true } }) : undefined;
}

/** In some APIs `_links.more` contains the next page. */
function linkNamedMore(source: Source, exchange: ExchangeFacts): Reading | undefined {
  const isLink = source.role.words.length === 1 && source.role.kind === "more" && isLinks(source.parent);
  return isLink && source.value.type !== "boolean" ? next(source, exchange) : undefined;
}

function links({ origin, value }: Source): Reading | undefined {
  // The value of a `Link` header is already the target of its next link.
  if ("header" in origin && origin.member === undefined) {
    return value.empty ? undefined : { kind: "link", origin, says: 'has rel="next"', value: value.text };
  }
  const target = value.type === "array" ? nextRelation(value.text) : undefined;
  if (target === undefined) return undefined;
  const { text, pick } = target;
  return { kind: "list", origin, says: 'has rel "next"', value: text, ...(pick === undefined ? {} : { pick }) };
}

function next(source: Source, exchange: ExchangeFacts): Reading | undefined {
  const { role, origin, value, beside, parent } = source;
  const isAddressName = role.address === true || (isLinks(parent) && role.words.length === 1);
  if (isUnset(value)) {
    const ends = isAddressName || (role.words.length === 1 && role.words[0] === "next");
    return ends ? { kind: "address", origin, says: "is not set", isEnd: true } : undefined;
  }
  // A lone "next" with a number counts only if the page's own number is beside it.
  const counts =
    role.words.length > 1 ||
    /page|paging|pagination|cursor/i.test(parent) ||
    beside.some(({ role: { words } }) => /^pages?$/.test(words.join(" ")));
  const object = role.words.length > 1 ? "whole" : "members";
  if (value.type === "number") {
    const isNew = !value.text.startsWith("-");
    return counts && role.address !== true && isNew
      ? { kind: "token", origin, says: "is set", value: value.text }
      : undefined;
  }
  const leading = leadingText(value);
  if (leading === undefined && !isAddressName && counts && holdsNumbers(value))
    return { kind: "token", origin, says: "is an object", object };
  if (leading === undefined || isVoid(leading.text)) return undefined;
  const whole = "path" in origin ? { path: [...origin.path, ...leading.path] } : origin;
  const text = leading.text === "" ? {} : { value: leading.text };
  if (isAddress(leading.text) || isAddressName || ("path" in whole && isOfLink(whole.path))) {
    return isOwnAddress(leading.text, exchange)
      ? undefined
      : { kind: "address", origin: whole, says: "is set", ...text };
  }
  // A number may be equal to a sent value by chance. A text that was sent says nothing new.
  const isNew = /^[0-9]+$/.test(leading.text) || !sentValues(exchange.request).has(leading.text);
  const isToken = isNew && ("header" in origin || /^\S*$/.test(leading.text));
  if (!isToken) return undefined;
  // If the value is an object, the token is the object, and not the text that was found in it.
  return value.type === "object" && leading.path.length > 0 && !isTarget(leading.path)
    ? { kind: "token", origin, says: "is an object", object }
    : { kind: "token", origin: whole, says: "is set", ...text };
}

/**
 * Reads a `before_url`. It leads to the next page if a list begins with its newest records and no field leads the other way. It
 * counts only on a full page, since an API may give it on the last page, too.
 */
function back({ origin, value, beside }: Source, exchange: ExchangeFacts): Reading | undefined {
  if (value.type !== "string" || !isFullPage(exchange) || !addsParameter(value.text, exchange.url)) return undefined;
  const goesBothWays = beside.some(({ role }) => role.kind === "next" || role.words[0] === "after");
  return goesBothWays ? undefined : { kind: "address", origin, says: "is set", value: value.text };
}

/**
 * Reads a lone `cursor`, `after` or `offset`, or an `endCursor`. It counts near the records, unless it is the position of the
 * page itself.
 */
function token({ role, origin, value, beside, isNear }: Source, exchange: ExchangeFacts): Reading | undefined {
  if (!isNear || value.type !== "string" || isVoid(value.text) || !/^\S+$/.test(value.text)) return undefined;
  const counterpart = role.words[0] === "after" ? "before" : role.words[0] === "end" ? "start cursor" : undefined;
  const isOwnPlace = beside.some((one) => one.role.words.join(" ") === counterpart && !isUnset(one.value));
  const isPosition = role.words[0] === "offset" && (/^[0-9]+$/.test(value.text) || isTimeZone(value.text));
  if (isOwnPlace || isPosition || sentValues(exchange.request).has(value.text)) return undefined;
  return { kind: "token", origin, says: "is set", value: value.text };
}

/** Returns whether a text leads to the page that was just received. */
function isOwnAddress(text: string, { url }: ExchangeFacts): boolean {
  if (url === "" || text === "") return false;
  try {
    return new URL(text, url).href === new URL(url).href;
  } catch {
    return false;
  }
}
