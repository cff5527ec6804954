import type { ListPick } from "../core/runs/response-source.ts";
import { printable } from "../core/text/printable.ts";
import { isZeroText } from "../core/values/emptiness.ts";
import { pathText } from "../core/values/path.ts";
import type { ExchangeFacts } from "./exchange-facts.ts";
import { namesData, type Role } from "./fields.ts";
import { isFullPage, sentValues } from "./parameters.ts";
import { isDoubtfulPlace, isPlaceName } from "./places.ts";
import { type NamedField, type Neighbour, type SignalPlace, sourcesOf } from "./sources.ts";
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
  isWatermark,
  leadingText,
  leadsOn,
  namesPosition,
  nextRelation,
  positionIn,
  truthOf,
} from "./values.ts";

/** A number of records or pages. */
export interface Figure {
  readonly kind: "total" | "count" | "pages" | "estimate";
  readonly origin: SignalPlace;
  /** Name of the member with the number, if the value at `origin` is an object: `value` in `hits.total.value`. */
  readonly member?: string;
  /** The number as digits. */
  readonly text: string;
}

/** A sign that there is a page after this one: a flag, an address, a token, a list of links, a `Link` header. */
export interface More {
  readonly kind: "flag" | "address" | "token" | "list" | "link";
  readonly origin: SignalPlace;
  /** A clause that follows the place: `is true`. */
  readonly says: string;
  /** The address or token; undefined for a flag, for a token that is an object, and for a value that was too long to be read. */
  readonly value?: string;
  /** True for a token that may also say where a later run begins (`cursor`). */
  readonly isLone?: true;
  /** For a list of links, the rule that picks the link and the address in it. */
  readonly pick?: ListPick;
  /** For a token that is an object: sent as one parameter (`whole`), or with one parameter for each of its members. */
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
 * the end silences the weaker kinds. `reached`: true if a total says that all records came. Only a flag outweighs such a total.
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

type Reading = Figure | (More & { readonly isEnd?: true });

function readField(source: NamedField, exchange: ExchangeFacts, size: number | undefined): Reading | undefined {
  const { role } = source;
  if (role.ofData === true && !namesData(role, dataNames(exchange))) return undefined;
  if (isDoubtful(source)) return undefined;
  switch (role.kind) {
    case "total":
    case "count":
    case "estimate":
      return figure(source, size, exchange);
    case "pages":
      return figure(source, size, exchange) ?? lastPage(source);
    case "remaining":
      return remaining(source);
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
    case "lead":
      return lead(source, exchange);
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

/** Returns whether a field of one word may be about something else: `navigation.count` of a menu. */
function isDoubtful({ role, parent, beside }: NamedField): boolean {
  if (!isDoubtfulPlace(parent) || role.words.length > 1 || role.kind === "token") return false;
  return !beside.some((one) => isOfPaging(one.role));
}

/** Returns whether a field shows that the fields beside it are about paging. */
function isOfPaging({ kind }: Role): boolean {
  return kind === "beside" || kind === "token";
}

function figure(
  { role, origin, value, beside }: NamedField,
  size: number | undefined,
  exchange: ExchangeFacts,
): Figure | undefined {
  const { kind, words } = role;
  if (kind !== "total" && kind !== "count" && kind !== "pages" && kind !== "estimate") return undefined;
  const found = digitsOf(value, kind === "total", "header" in origin);
  if (found === undefined) return undefined;
  const { text, member } = found;
  const isPageSize =
    kind === "count" && words.length < 2 && (text === String(size) || beside.some((one) => saysPage(one.role)));
  const isMoney = words.length < 2 && beside.some((one) => money.test(one.role.words.join(" ")));
  if (isPageSize || isMoney) return undefined;
  const isOwnCount =
    "path" in origin && words.join(" ") === "page count" && countsRecords(text, beside, size, exchange);
  return { kind: isOwnCount ? "count" : kind, origin, text, ...(member === undefined ? {} : { member }) };
}

/** Words of the fields that make a total beside them an amount of money. */
const money = /^(currency|sub ?total|tax|vat)$/;

/**
 * Returns whether a `page_count` counts the records of the page, and not the pages. It does if it equals the number of records, and
 * cannot be a number of pages because the page is not full or the total beside it fits into fewer pages.
 */
function countsRecords(
  pages: string,
  beside: readonly Neighbour[],
  size: number | undefined,
  exchange: ExchangeFacts,
): boolean {
  const { records } = exchange;
  if (pages !== String(records) || records < 2) return false;
  const counts = beside.filter(({ role }) => role.kind === "total" || role.kind === "count");
  if (counts.length > 0) return counts.some(({ value }) => Number(value.text) <= (records - 1) * records);
  return size === undefined ? !isFullPage(exchange) : records < size;
}

/** Returns whether the field shows that a `count` beside it counts only the records of the page. */
function saysPage({ words }: Role): boolean {
  return words.length === 1 && /^(start|offset|skip|limit|size)$/.test(words[0] ?? "");
}

/** Reads the number of records or pages that follow. `remaining` alone may be the remainder of a quota. */
function remaining({ role, origin, value, parent, isNear }: NamedField): Reading | undefined {
  const isAlone = role.words.every((word) => !/^(page|item|record|result|row|entr|element|object|hit|doc)/.test(word));
  const counts = isNear && (!isAlone || /page|paging|pagination|cursor/i.test(parent));
  const { text = "0" } = (counts ? digitsOf(value, false, "header" in origin) : undefined) ?? {};
  return isZeroText(text) ? undefined : { kind: "flag", origin, says: `is ${text}` };
}

/** Reads a field whose name only resembles that of a next page: it counts if it leads to another part of the same list. */
function lead({ origin, value, isNear }: NamedField, exchange: ExchangeFacts): Reading | undefined {
  if (!isNear || value.type !== "string" || !leadsOn(value.text, exchange.url)) return undefined;
  return { kind: "address", origin, says: "is set", value: value.text };
}

function flag({ role, origin, value, beside }: NamedField): Reading | undefined {
  const isBeside = role.words.join(" ") === "more" && beside.some((one) => isOfPaging(one.role));
  const truth = truthOf(value, role.numeric === true || isBeside);
  if (truth === undefined) return undefined;
  if (role.needsNext === true && !beside.some((one) => one.role.kind === "next" || one.role.kind === "token"))
    return undefined;
  const isMore = truth === (role.kind === "more");
  if (!isMore && role.ends !== true) return undefined;
  const says = `is ${value.text}`;
  return isMore ? { kind: "flag", origin, says } : { kind: "flag", origin, says, isEnd: true };
}

/** Reads a `last_page` that is true or false. Beside a `next` that is not set, false may mean that an address is missing. */
function lastPage(source: NamedField): Reading | undefined {
  const { role, value, beside } = source;
  const isMissing = beside.some((one) => one.role.kind === "next" && isUnset(one.value));
  const isFlag = role.words[0] === "last" && value.type === "boolean" && !isMissing;
  return isFlag ? flag({ ...source, role: { ...role, kind: "last", ends: true } }) : undefined;
}

/** Reads `_links.more`, which is the address of the next page in some APIs. */
function linkNamedMore(source: NamedField, exchange: ExchangeFacts): Reading | undefined {
  const isLink = source.role.words.length === 1 && source.role.kind === "more" && isLinks(source.parent);
  if (!isLink || source.value.type === "boolean") return undefined;
  // A text may be the address of any page of a website, so it counts only if it leads to another part of the same list.
  return source.value.type === "string" ? lead(source, exchange) : next(source, exchange);
}

function links({ origin, value }: NamedField): Reading | undefined {
  // The value of a `Link` header is already the target of its next link.
  if ("header" in origin && origin.member === undefined) {
    return value.empty ? undefined : { kind: "link", origin, says: 'has rel="next"', value: value.text };
  }
  const target = value.type === "array" || value.type === "object" ? nextRelation(value.text) : undefined;
  if (target === undefined) return undefined;
  const { text, pick } = target;
  return { kind: "list", origin, says: 'has rel "next"', value: text, ...(pick === undefined ? {} : { pick }) };
}

function next(source: NamedField, exchange: ExchangeFacts): Reading | undefined {
  const { role, origin, value, beside, parent } = source;
  const isAddressName = role.address === true || (isLinks(parent) && role.words.length === 1);
  if (isUnset(value)) {
    const ends = isAddressName || (role.words.length === 1 && role.words[0] === "next");
    return ends ? { kind: "address", origin, says: "is not set", isEnd: true } : undefined;
  }
  if (isWatermark(role.words, value, exchange)) return undefined;
  // If a field is just called "next", a number in it counts only in an object of paging or beside the page's own number.
  const counts =
    role.words.length > 1 ||
    /page|paging|pagination|cursor/i.test(parent) ||
    beside.some(({ role: { words } }) => /^pages?$/.test(words.join(" ")));
  const isBare = role.words.join(" ") === "next" && !isPlaceName(parent);
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
  // The value may be a list with one object of words and numbers, such as `queries.nextPage`.
  const position = isAddress(leading.text) ? undefined : positionIn(value);
  if (position !== undefined && "path" in origin)
    return {
      kind: "token",
      origin: { path: [...origin.path, ...position.path] },
      says: "is set",
      value: position.text,
    };
  const place = "path" in origin ? { path: [...origin.path, ...leading.path] } : origin;
  const text = leading.text === "" ? {} : { value: leading.text };
  if (isAddress(leading.text) || isAddressName || ("path" in place && isOfLink(place.path))) {
    return isOwnAddress(leading.text, exchange)
      ? undefined
      : { kind: "address", origin: place, says: "is set", ...text };
  }
  // A number may be equal to a sent value by chance. A text that was sent says nothing new.
  const isNew = /^[0-9]+$/.test(leading.text) || !sentValues(exchange.request).has(leading.text);
  const isWord = role.translated === true && /^\p{L}+$/u.test(leading.text);
  const isToken = isNew && !isWord && ("header" in origin || /^\S*$/.test(leading.text));
  if (!isToken) return undefined;
  const isObject = value.type === "object" && leading.path.length > 0 && !isTarget(leading.path);
  // A `next` that is about something else, such as `"next": {"name": "Monaco"}`, contains no position.
  if (isObject && isBare && !namesPosition(value)) return undefined;
  // If the value is an object, the token is the object, and not the text that was found in it.
  return isObject
    ? { kind: "token", origin, says: "is an object", object }
    : { kind: "token", origin: place, says: "is set", ...text };
}

/**
 * Reads a `before_url`. It leads to the next page if a list begins with its newest records and no field leads the other way. It
 * counts only on a full page, since an API may give it on the last page, too.
 */
function back({ origin, value, beside }: NamedField, exchange: ExchangeFacts): Reading | undefined {
  if (value.type !== "string" || !isFullPage(exchange) || !addsParameter(value.text, exchange.url)) return undefined;
  const goesBothWays = beside.some(({ role }) => role.kind === "next" || role.words[0] === "after");
  return goesBothWays ? undefined : { kind: "address", origin, says: "is set", value: value.text };
}

/**
 * Reads a lone `cursor`, `after` or `offset`, or an `endCursor`. It counts near the records, unless it is the position of the
 * page itself.
 */
function token({ role, origin, value, beside, isNear }: NamedField, exchange: ExchangeFacts): Reading | undefined {
  if (!isNear || value.type !== "string" || isVoid(value.text) || !/^\S+$/.test(value.text)) return undefined;
  const counterpart = role.words[0] === "after" ? "before" : role.words[0] === "end" ? "start cursor" : undefined;
  const isOwnPlace = beside.some((one) => one.role.words.join(" ") === counterpart && !isUnset(one.value));
  const isPosition = role.words[0] === "offset" && (/^[0-9]+$/.test(value.text) || isTimeZone(value.text));
  if (isOwnPlace || isPosition || sentValues(exchange.request).has(value.text)) return undefined;
  return { kind: "token", origin, says: "is set", value: value.text, isLone: true };
}

/** Returns whether a text is the address of the page that was just received. */
function isOwnAddress(text: string, { url }: ExchangeFacts): boolean {
  return text !== "" && URL.canParse(text, url) && new URL(text, url).href === new URL(url).href;
}
