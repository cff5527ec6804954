import type { Watched } from "../core/runs/page.ts";
import type { ListPick } from "../core/runs/response-source.ts";
import { decimal, decimalText } from "../core/values/decimal.ts";
import { isZeroText } from "../core/values/emptiness.ts";
import { readTime } from "../core/values/instant.ts";
import type { Path } from "../core/values/path.ts";
import { isNumber, isObject, type Value } from "../core/values/value.ts";
import type { ExchangeFacts } from "./exchange-facts.ts";
import { isSentField, meaningOf } from "./parameters.ts";
import { parsedText } from "./parsed-text.ts";
import { wordsOf } from "./words.ts";

/** Returns whether a value says that nothing follows: null, "", 0, "0", false, {} or []. */
export function isUnset({ type, text, empty }: Watched): boolean {
  if (empty || type === "null" || (type === "boolean" && text === "false")) return true;
  return type === "number" ? isZeroText(text) : type === "string" && text === "0";
}

/** Returns whether a text stands for a missing value. Such texts occur mostly in headers. */
export function isVoid(text: string): boolean {
  return /^(0|-1|null|nil|none|undefined|false)$/i.test(text);
}

/** A number as digits. If the value is an object, `member` is the name of the member with the number. */
interface Digits {
  readonly text: string;
  readonly member?: string;
}

/** Members of an object that may contain its number: `value`, `count`, and the text of an element that was converted from XML. */
const numberMembers = ["value", "count", "#text", "$t", "_text"];

/**
 * Returns a value as the digits of a non-negative integer; undefined if it is none. `structured`: an object counts, too, by the
 * first of `numberMembers` that it has. `isHeader`: several headers with the same value count as one.
 */
export function digitsOf({ type, text }: Watched, structured: boolean, isHeader: boolean): Digits | undefined {
  const object = type === "object" && structured ? parsedText(text) : undefined;
  if (isObject(object)) {
    const member = numberMembers.find((name) => (object[name] ?? null) !== null) ?? "";
    const value = object[member];
    const number = isNumber(value)
      ? digits(wholeOf(String(value)))
      : typeof value === "string"
        ? digits(value)
        : undefined;
    return number === undefined ? undefined : { text: number, member };
  }
  const scalar = type === "number" ? wholeOf(text) : isHeader ? repeatedOnce(text) : text;
  const number = type === "number" || type === "string" ? digits(scalar) : undefined;
  return number === undefined ? undefined : { text: number };
}

/** Returns the value of a header that was sent several times with the same value; other texts unchanged. */
function repeatedOnce(text: string): string {
  const [first = "", ...others] = text.split(/,\s+/);
  return others.every((other) => other === first) ? first : text;
}

function digits(text: string): string | undefined {
  if (/^[0-9]{1,30}$/.test(text)) return text;
  return /^[0-9]{1,3}(,[0-9]{3}){1,9}$/.test(text) ? text.replaceAll(",", "") : undefined;
}

/** Returns a whole number without exponent and decimals: 95 for 95.0 and 9.5e1. */
function wholeOf(text: string): string {
  const number = decimal(text);
  return number === undefined ? text : decimalText(number).replace(/\.0+$/, "");
}

/** A text inside a value, with its path from there. */
interface PlacedText {
  readonly path: Path;
  readonly text: string;
}

/**
 * Returns the text of a value that may lead to the next page. In a list or an object, it is the first address, else the first
 * text. It is "" if the value was too long to be kept.
 */
export function leadingText({ type, text }: Watched): PlacedText | undefined {
  if (type === "string") return { path: [], text };
  if (type !== "array" && type !== "object") return undefined;
  const value = parsedText(text);
  // JSON that was cut cannot be parsed. It was cut because it is long, so it is not empty.
  if (value === undefined) return { path: [], text: "" };
  const texts = textsIn(value, []);
  return texts.find((one) => isAddress(one.text)) ?? texts[0];
}

/** Names of members of a link that contain its target. If a link has such a member, its other texts do not count. */
const targets = new Set(["href", "@href", "url", "uri", "link", "after", "token", "cursor", "#text", "$t", "_text"]);

/** Returns whether a path contains the name of a link's target, such as `next.href`. */
export function isTarget(path: Path): boolean {
  return path.some((name) => targets.has(name.toLowerCase()));
}

/**
 * Returns whether an object contains positions as numbers (`{"page": 2}`). A page size beside a position does not count:
 * `{"cursor": null, "limit": 50}`. An object with the value `false` never counts, because `false` may say that there is no next
 * page.
 */
export function holdsNumbers({ type, text }: Watched): boolean {
  const value = type === "object" ? parsedText(text) : undefined;
  const members = isObject(value) ? Object.entries(value) : [];
  const meanings = members.map(([name]) => meaningOf([name]));
  const hasPosition = meanings.some((meaning) => meaning !== undefined && meaning !== "size");
  const isPosition = (index: number): boolean => !hasPosition || meanings[index] !== "size";
  return (
    members.some(([, inner], index) => isNumber(inner) && isPositive(String(inner)) && isPosition(index)) &&
    members.every(([, inner]) => inner !== false)
  );
}

/** Returns whether an object has a member with the name of a paging parameter (`{"offset": "x"}`) or of a link's target. */
export function namesPosition({ text }: Watched): boolean {
  const value = parsedText(text);
  // The text cannot be parsed if it was cut. A text that long may contain such a member.
  if (!isObject(value)) return value === undefined;
  return Object.keys(value).some((name) => targets.has(name.toLowerCase()) || meaningOf([name]) !== undefined);
}

/**
 * Returns the offset or page number in a list that contains one object (`[{"title": "...", "startIndex": 11}]`); undefined if
 * there is none.
 */
export function positionIn({ type, text }: Watched): PlacedText | undefined {
  const list = type === "array" ? parsedText(text) : undefined;
  const [only] = Array.isArray(list) && list.length === 1 ? list : [];
  if (!isObject(only)) return undefined;
  for (const [name, inner] of Object.entries(only)) {
    const meaning = meaningOf([name]);
    if (isNumber(inner) && isPositive(String(inner)) && (meaning === "offset" || meaning === "page"))
      return { path: ["0", name], text: String(inner) };
  }
  return undefined;
}

/** Returns whether the text of a JSON number is above 0. Some APIs write -1 for a position that does not exist. */
function isPositive(text: string): boolean {
  return !text.startsWith("-") && !isZeroText(text);
}

function textsIn(value: Value, path: Path): readonly PlacedText[] {
  if (typeof value === "string") return value === "" ? [] : [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, [...path, String(index)]));
  if (!isObject(value)) return [];
  const members = Object.entries(value);
  const leading = members.filter(([name]) => targets.has(name.toLowerCase()));
  return (leading.length > 0 ? leading : members).flatMap(([name, inner]) => textsIn(inner, [...path, name]));
}

/**
 * Returns whether the last name of a path is that of an address (`_links.next.href`). Such a value may be a relative address:
 * `items?page=2`.
 */
export function isOfLink(path: Path): boolean {
  const [parent = "", name = ""] = path.slice(-2);
  return /(ur[il]|href|link|__next)$/i.test(path.at(-1) ?? "") || (name === "next" && isLinks(parent));
}

export function isLinks(name: string): boolean {
  return /^links?$/.test(wordsOf(name).join(" "));
}

/** Returns whether a text is an address: absolute, from the root, or only a query. */
export function isAddress(text: string): boolean {
  return /^(https?:\/\/|\/|\?)/i.test(text);
}

/** The address of a link, and the rule that picks it if the link is in a list. */
export interface RelatedLink {
  readonly text: string;
  readonly pick?: ListPick;
}

/**
 * Members that may contain the relation of a link. `type` and `name` may contain anything, so with them only a link to an address
 * counts.
 */
const relationNames = ["rel", "relation", "@rel", "type", "name"];

/**
 * Returns the link with the relation `next` from the JSON text of a link or a list of links; undefined if there is none. Its
 * address is "" if the JSON text was cut.
 */
export function nextRelation(text: string): RelatedLink | undefined {
  const value = parsedText(text);
  if (value === undefined) return /"rel(?:ation)?"\s*:\s*"next"/.test(text) ? { text: "" } : undefined;
  for (const link of Array.isArray(value) ? value : [value]) {
    if (!isObject(link)) continue;
    const name = relationNames.find((one) => Object.hasOwn(link, one));
    if (name === undefined) continue;
    const { [name]: named, ...rest } = link;
    const relations = typeof named === "string" ? named.toLowerCase().split(/\s+/) : Array.isArray(named) ? named : [];
    const [target] = relations.includes("next") ? textsIn(rest, []) : [];
    if (target === undefined || (/^(type|name)$/.test(name) && !isAddress(target.text))) continue;
    const pick = { where: { [name]: "next" }, value: target.path };
    return { text: target.text, ...(Array.isArray(value) ? { pick } : {}) };
  }
  return undefined;
}

/**
 * Returns whether the token of an empty page (`next_since`) is the time from which a later call asks for new records. This is so
 * if the request has sent the same value, or if the value is the time of the answer: later records do not exist yet.
 */
export function isWatermark(
  words: readonly string[],
  value: Watched,
  { records, request, header }: ExchangeFacts,
): boolean {
  if (records > 0 || !words.includes("since")) return false;
  const name = words.filter((word) => word !== "next").join(" ");
  if (isSentField(request, [name], { ...value, type: "number" })) return true;
  const time = readTime(value.type === "number" ? (parsedText(value.text) ?? null) : value.text);
  return time !== undefined && Math.abs(time.seconds * 1000 - Date.parse(header("Date") ?? "")) <= clockTolerance;
}

/** Difference that is allowed between the clocks of one API, in milliseconds. */
const clockTolerance = 60_000;

/** Returns whether the text of an `offset` may be the offset or the name of a time zone. */
export function isTimeZone(text: string): boolean {
  return /^([+-][0-9]{1,2}:?[0-9]{0,2}|Z|UTC|GMT|[A-Z][A-Za-z]+\/[A-Za-z_]+)$/.test(text);
}

/**
 * Returns whether a text is the address of the request with an additional query parameter, as in a link from the first page to
 * the second.
 */
export function addsParameter(text: string, url: string): boolean {
  if (!isAddress(text) || !URL.canParse(text, url)) return false;
  const [from, to] = [new URL(url), new URL(text, url)];
  const isSame = from.origin === to.origin && from.pathname === to.pathname;
  return isSame && [...to.searchParams.keys()].some((name) => !from.searchParams.has(name));
}

/** Returns whether a text is the address of another part of the same list: it differs from the request's address in its query. */
export function leadsOn(text: string, url: string): boolean {
  if (!isAddress(text) || !URL.canParse(text, url)) return false;
  const [from, to] = [new URL(url), new URL(text, url)];
  return from.origin === to.origin && from.pathname === to.pathname && to.search !== "" && from.search !== to.search;
}

/**
 * Returns the boolean that a value stands for: a boolean, the text "true" or "false" or, if `numeric`, 0 or 1. Undefined for any
 * other value.
 */
export function truthOf({ type, text }: Watched, numeric: boolean): boolean | undefined {
  if (type === "boolean" || type === "string") {
    if (/^true$/i.test(text)) return true;
    if (/^false$/i.test(text)) return false;
  }
  return numeric && (type === "number" || type === "string") && /^[01]$/.test(text) ? text === "1" : undefined;
}
