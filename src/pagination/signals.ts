import { decimal, decimalText } from "../core/decimal.ts";
import { isZeroText } from "../core/emptiness.ts";
import { evidenceFields, evidenceHeaders, type HeaderMeaning, spellings } from "../core/evidence.ts";
import { type Evidence, type PageSummary, type Watched, watchedOf, watchKey } from "../core/page.ts";
import { type Path, pathText } from "../core/path.ts";
import { printable } from "../core/printable.ts";
import { isNumber, isObject, type Value } from "../core/value.ts";
import { linkTarget } from "./link-header.ts";
import { parsedText } from "./parsed-text.ts";

/** Where something stands that tells of more records: at a path of the body, in a header, or in a member of one that holds an object. */
export type SignalPlace = { readonly path: Path } | { readonly header: string; readonly member?: string };

/** A number of records or pages. */
export interface Figure {
  readonly kind: "total" | "count" | "pages";
  readonly origin: SignalPlace;
  /** Digits. */
  readonly text: string;
}

/**
 * There is a page after this one: a flag says so, or where it is: by an address or a token, in a list of links, in a
 * `Link` header.
 */
export interface More {
  readonly kind: "flag" | "address" | "token" | "list" | "link";
  readonly origin: SignalPlace;
  /** As in `"hasMore" is true`. */
  readonly says: string;
}

/** As told to people: `"meta.total"`, `the header X-Total-Count`, or `"TotalCount" of the header X-Pagination`. */
export function signalPlaceName(origin: SignalPlace): string {
  if ("path" in origin) return `"${printable(pathText(origin.path))}"`;
  const { header, member } = origin;
  return member === undefined ? `the header ${header}` : `"${printable(member)}" of the header ${header}`;
}

/** The totals and numbers of pages that a page tells, in its body and its headers. `size`: the page size asked for. */
export function figuresOf(summary: PageSummary, size: number | undefined): Figure[] {
  const figures: Figure[] = [];
  for (const { meaning, path, value } of summary.evidence) {
    if (meaning !== "total" && meaning !== "count" && meaning !== "pages") continue;
    const text = digitsOf(value, meaning === "total");
    if (text === undefined) continue;
    const isPageSize = meaning === "count" && (text === String(size) || stands(pageFields, summary, path));
    if (!isPageSize) figures.push({ kind: meaning, origin: { path }, text });
  }
  for (const { header, meaning, value } of headersIn(summary)) {
    const text = headerDigits[meaning]?.(value);
    if (text === undefined || !isDigits(text)) continue;
    figures.push({ kind: meaning === "pages" ? "pages" : "total", origin: { header }, text });
  }
  return [...figures, ...inHeaders(summary, (fields) => figuresOf(fields, size))];
}

/** What says that there is a page after this one. */
export function moreOf(summary: PageSummary): More[] {
  const found = summary.evidence.flatMap((evidence) => moreIn(evidence, summary) ?? []);
  // An API may go on giving links of every kind, and say in so many words that this is the last page.
  const inBody = isLast(summary) ? found.filter(({ kind }) => kind === "flag") : found;
  return [...inBody, ...moreInHeaders(summary), ...inHeaders(summary, moreOf)];
}

/** The headers of a page that tell of more and are not empty: most pages have none. */
function headersIn(summary: PageSummary): readonly EvidenceHeader[] {
  const found: EvidenceHeader[] = [];
  for (const [header, meaning] of evidenceHeaders) {
    const value = summary.header(header)?.trim() ?? "";
    if (value !== "") found.push({ header, meaning, value });
  }
  return found;
}

interface EvidenceHeader {
  readonly header: string;
  readonly meaning: HeaderMeaning;
  readonly value: string;
}

/** What `find` finds in the members of headers that hold an object (`X-Pagination`), as beside the records. */
function inHeaders<T extends { readonly origin: SignalPlace }>(
  summary: PageSummary,
  find: (fields: PageSummary) => T[],
): T[] {
  return headersIn(summary).flatMap(({ header, meaning, value: text }) => {
    const object = meaning === "fields" ? parsedText(text) : undefined;
    if (!isObject(object)) return [];
    const evidence = Object.entries(object).flatMap(([name, value]): Evidence[] => {
      const known = fieldMeanings.get(name);
      return known === undefined ? [] : [{ path: [name], meaning: known, value: watchedOf(value) }];
    });
    return find({ ...summary, evidence, header: () => undefined }).map((found) => {
      const member = "path" in found.origin ? pathText(found.origin.path) : "";
      return { ...found, origin: { header, member } };
    });
  });
}

const fieldMeanings = new Map(
  evidenceFields.flatMap(([name, meaning]) => spellings(name).map((text) => [text, meaning] as const)),
);

function moreInHeaders(summary: PageSummary): More[] {
  return headersIn(summary).flatMap(({ header, meaning, value }): More[] => {
    if (meaning === "number" && value !== "0") {
      return [{ kind: "token", origin: { header }, says: "is set" }];
    }
    const isLink = meaning === "relation" && linkTarget(value, "next") !== undefined;
    return isLink ? [{ kind: "link", origin: { header }, says: 'has rel="next"' }] : [];
  });
}

/** Flags about the end itself: that a page is not truncated does not make it the last. */
const endFlags = /^(has|is_?-?last|last|more)/i;

function isLast({ evidence }: PageSummary): boolean {
  return evidence.some(({ meaning, path, value: { type, text } }) => {
    if (type !== "boolean" || !endFlags.test(path.at(-1) ?? "")) return false;
    return meaning === "more" ? text === "false" : meaning === "last" && text === "true";
  });
}

function moreIn({ meaning, path, value }: Evidence, summary: PageSummary): More | undefined {
  if (meaning === "more" || meaning === "last") {
    const more = value.type === "boolean" && (value.text === "true") === (meaning === "more");
    return more ? { kind: "flag", origin: { path }, says: `is ${value.text}` } : undefined;
  }
  if (meaning === "links") {
    const more = value.type === "array" && hasNextRelation(value.text);
    return more ? { kind: "list", origin: { path }, says: 'has rel "next"' } : undefined;
  }
  if (meaning === "offset") {
    const more = value.type === "string" && airtableOffset.test(value.text);
    return more ? { kind: "token", origin: { path }, says: "is set" } : undefined;
  }
  if (meaning !== "next" && meaning !== "number" && meaning !== "address") return undefined;
  const numbers = meaning === "number" || (meaning === "address" && stands(["page", "pages"], summary, path));
  if (numbers && isPositive(value)) return { kind: "token", origin: { path }, says: "is set" };
  const leading = leadingText(value);
  if (leading === undefined) return undefined;
  const whole = [...path, ...leading.path];
  const kind = isAddress(leading.text) || isOfLink(whole) ? "address" : "token";
  return { kind, origin: { path: whole }, says: "is set" };
}

/** Any other text of that name may be where this page begins, or a time zone's. */
const airtableOffset = /^itr\w+\/rec\w+$/;

const pageFields = ["start", "offset", "skip", "limit", "size"];

/** Stands a field of one of these names beside the one at `path`? */
function stands(names: readonly string[], { evidence }: PageSummary, path: Path): boolean {
  const around = watchKey(path.slice(0, -1));
  return evidence.some(
    (other) => names.includes((other.path.at(-1) ?? "").toLowerCase()) && watchKey(other.path.slice(0, -1)) === around,
  );
}

/** A non-negative integer, its digits, or where `structured` an object with such a `value`. */
function digitsOf({ type, text }: Watched, structured: boolean): string | undefined {
  if (type === "number" || type === "string") {
    const whole = type === "number" ? wholeOf(text) : text;
    return isDigits(whole) ? whole : undefined;
  }
  const object = type === "object" && structured ? parsedText(text) : undefined;
  const value = isObject(object) ? object.value : undefined;
  if (typeof value !== "string" && !isNumber(value)) return undefined;
  const whole = isNumber(value) ? wholeOf(String(value)) : value;
  return isDigits(whole) ? whole : undefined;
}

/** A whole number without exponent and decimals: 95 for 95.0 and 9.5e1. */
function wholeOf(text: string): string {
  const number = decimal(text);
  return number === undefined ? text : decimalText(number).replace(/\.0+$/, "");
}

function isDigits(text: string): boolean {
  return /^[0-9]{1,30}$/.test(text);
}

function isPositive({ type, text }: Watched): boolean {
  return type === "number" && !text.startsWith("-") && !isZeroText(text);
}

interface Leading {
  readonly path: Path;
  readonly text: string;
}

/** The text that says where the next page is: the value itself, or in a list or object an address rather than any other text. */
function leadingText({ type, text }: Watched): Leading | undefined {
  if (type === "string") return text === "" || text === "0" ? undefined : { path: [], text };
  if (type !== "array" && type !== "object") return undefined;
  const value = parsedText(text);
  // Cut, so it is long, and holds something.
  if (value === undefined) return { path: [], text: "" };
  const texts = textsIn(value, []);
  return texts.find((one) => isAddress(one.text)) ?? texts[0];
}

/** Members of a link that say where it leads; where it has one of these, its other texts do not count. */
const targets = ["href", "url", "uri", "link", "after", "token", "cursor"];

function textsIn(value: Value, path: Path): Leading[] {
  if (typeof value === "string") return value === "" ? [] : [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, [...path, String(index)]));
  if (!isObject(value)) return [];
  const members = Object.entries(value);
  const leading = members.filter(([name]) => targets.includes(name.toLowerCase()));
  return (leading.length > 0 ? leading : members).flatMap(([name, inner]) => textsIn(inner, [...path, name]));
}

/** What stands in a link, or under such a name, is an address, relative as it may be: `_links.next.href` of `items?page=2`. */
function isOfLink(path: Path): boolean {
  const [parent = "", name = ""] = path.slice(-2);
  return /(ur[il]|href|link|__next)$/i.test(path.at(-1) ?? "") || (name === "next" && /^_?links$/i.test(parent));
}

function isAddress(text: string): boolean {
  return /^(https?:\/\/|\/|\?)/i.test(text);
}

/** Does a list of links, as JSON text, hold one of the relation `next` that leads somewhere? */
function hasNextRelation(text: string): boolean {
  const links = parsedText(text);
  if (links === undefined) return /"rel"\s*:\s*"next"/.test(text);
  if (!Array.isArray(links)) return false;
  return links.some((link) => {
    if (!isObject(link)) return false;
    const { rel, ...rest } = link;
    const relations = typeof rel === "string" ? rel.toLowerCase().split(/\s+/) : Array.isArray(rel) ? rel : [];
    return relations.includes("next") && textsIn(rest, []).length > 0;
  });
}

/** The digits in a header's value. */
const headerDigits: { readonly [M in HeaderMeaning]?: (value: string) => string | undefined } = {
  total: (value) => value,
  pages: (value) => value,
  // A range of bytes is none of records.
  range: (value) => /^(?!bytes\b)[\w-]+\s+(?:[0-9]+-[0-9]+|\*)\/([0-9]+)$/i.exec(value)?.[1],
};
