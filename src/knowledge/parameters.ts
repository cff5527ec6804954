import { decodeForm, type Request } from "../core/requests/request.ts";
import type { PlaceInRequest } from "../core/requests/request-place.ts";
import type { Watched } from "../core/runs/page.ts";
import { type Path, pathText } from "../core/values/path.ts";
import { isObject, plainText, type Value } from "../core/values/value.ts";
import { wordsOf } from "./words.ts";

/** Meaning of a parameter of a request for paging. */
export type ParameterMeaning = "size" | "offset" | "page" | "token";

/** A value that a request carries, with its place. */
export interface SentValue {
  readonly place: PlaceInRequest;
  /** Names from the root to the value: `page`, `size` for `page[size]`. */
  readonly path: readonly string[];
  readonly value: Value;
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/**
 * Names of page sizes consist of these words. A name needs a word from `sizeNouns`, or a word from `sizeMeasured` beside a word
 * such as `max` or `number`.
 */
const sizeWords = set(
  "page pages per size sizes limit max maximum result results record records item items row rows entry entries hit hits top first take batch number num count length of by in filter pagination paging",
);
const sizeNouns = set("limit size per top first rows take length count");
const sizeMeasured = set("page result results record records item items rows entry entries hit hits");

const offsetWords = set(
  "offset skip start from begin at index position row record first result results records display page pagination paging",
);
const offsetNouns = set("offset skip start from begin");
const pageWords = set("page pages number no num index current cur pg paged p id pagination paging");
const tokenWords = set(
  "cursor next page after starting start id token mark pagination continuation marker bookmark scroll since max skip key end before ending sync resumption last from",
);
const tokenNouns = set("cursor token marker bookmark continuation after before scroll since");

/** Other names of page sizes, of one word each. */
const sizeNames = set("ps n select results records items entries");

/** Names that begin with a vendor's name: `sysparm_limit`. */
const prefixed = /^(?!rate|time)[a-z]+ (limit|offset|skip|per page|page size)$/;

/** Headers of HTTP whose names look like those of paging. */
const otherHeaders = /^(from|content-length|max-forwards)$/i;

/** Returns the values that a request carries, in its query, its body and its headers. */
function valuesSent(request: Request): readonly SentValue[] {
  const query = request.query.flatMap((item): readonly SentValue[] => {
    if (!("raw" in item)) return within([item.name], item.value);
    const [name = "", ...rest] = item.raw.split("=");
    return [asSentValue(bracketPath(decodeForm(name)), decodeForm(rest.join("=")))];
  });
  const body = (request.body ?? []).flatMap(({ name, value }) => within([name], value));
  const headers = [...request.headers.values()].map(
    ([name, value]): SentValue => ({ place: { header: name }, path: [name], value }),
  );
  return [...query, ...body, ...headers];
}

/** Returns the page size that a request asks for, and its place; undefined if no parameter is a page size. */
function sizeSent(request: Request): { readonly size: number; readonly place: PlaceInRequest } | undefined {
  for (const one of valuesSent(request)) {
    const size = /^[0-9]{1,9}$/.test(plainText(one.value)) ? Number(plainText(one.value)) : 0;
    if (size > 1 && meaningOfSent(one) === "size") return { size, place: one.place };
  }
  return undefined;
}

/**
 * Returns the meaning of a parameter, by all names of its path (`page[size]`) or by the last one; undefined if it is not about
 * paging.
 */
export function meaningOf(path: readonly string[]): ParameterMeaning | undefined {
  const words = path.flatMap((name) => wordsOf(name.replace(/^x-/i, "")));
  const last = path.length > 1 ? wordsOf(path.at(-1) ?? "") : [];
  const wordsAfterPrefix = prefixed.test(words.join(" ")) ? words.slice(1) : [];
  return wordsMeaning(words) ?? wordsMeaning(last) ?? wordsMeaning(wordsAfterPrefix);
}

/** Returns the meaning for paging of a value that a request carries. */
function meaningOfSent({ path, place }: SentValue): ParameterMeaning | undefined {
  return "header" in place ? meaningOfHeader(place.header) : meaningOf(path);
}

/** Returns the meaning of a request header for paging, by its name. */
export function meaningOfHeader(name: string): ParameterMeaning | undefined {
  return otherHeaders.test(name) ? undefined : meaningOf([name]);
}

const lastIds = /^(?:(?:starting |start )?after|last|since|from)(?: id)?$/;

/** Returns whether a parameter of this name may take the id of the last received record. It may also be a filter. */
export function isLastId(name: string): boolean {
  return lastIds.test(wordsOf(name.replace(/^page\[/i, "")).join(" "));
}

function wordsMeaning(words: readonly string[]): ParameterMeaning | undefined {
  const all = (vocabulary: ReadonlySet<string>): boolean =>
    words.length > 0 && words.every((word) => vocabulary.has(word));
  const some = (vocabulary: ReadonlySet<string>): boolean => words.some((word) => vocabulary.has(word));
  const joined = words.join(" ");
  if (words.length === 1 && sizeNames.has(joined)) return "size";
  const measures =
    words.includes("max") || words.includes("maximum") || words.includes("number") || words.includes("num");
  const isPage =
    /^(page|p|pg|paged|skip pages?)$/.test(joined) || (words.includes("page") && all(pageWords) && words.length > 1);
  if (isPage && !words.includes("id")) return "page";
  if (all(sizeWords) && (some(sizeNouns) || (measures && some(sizeMeasured)) || joined === "max")) {
    if (!/^first (result|row|record)$/.test(joined)) return "size";
  }
  if (all(offsetWords) && (some(offsetNouns) || /^first (result|row|record)$/.test(joined))) return "offset";
  if (all(tokenWords) && (some(tokenNouns) || /^(start|last|from|page|max) (id|key)$/.test(joined))) return "token";
  return undefined;
}

/** Returns the texts of all values that a request carries. An answer that repeats one of them says nothing new. */
export function sentValues(request: Request | undefined): ReadonlySet<string> {
  if (request === undefined) return noTexts;
  const cached = texts.get(request);
  if (cached !== undefined) return cached;
  const sentTexts = new Set(valuesSent(request).map(({ value }) => plainText(value)));
  texts.set(request, sentTexts);
  return sentTexts;
}

/**
 * Returns whether a field of an answer repeats a filter of the request. If the value is not a text, the name must be the same,
 * too, since many parameters may be 1 or true.
 */
export function isSentField(request: Request | undefined, path: Path, { type, text }: Watched): boolean {
  if (type === "string") return sentValues(request).has(text);
  const name = wordsOf(path.at(-1) ?? "").join(" ");
  const same = request === undefined ? [] : valuesSent(request).filter(({ value }) => plainText(value) === text);
  return same.some((one) => wordsOf(one.path.at(-1) ?? "").join(" ") === name);
}

const noTexts: ReadonlySet<string> = new Set();

const texts = new WeakMap<Request, ReadonlySet<string>>();

const maxDepth = 8;

function within(path: readonly string[], value: Value): readonly SentValue[] {
  if (!isObject(value) || path.length >= maxDepth) return [asSentValue(path, value)];
  return Object.entries(value).flatMap(([name, inner]) => within([...path, name], inner));
}

function asSentValue(path: readonly string[], value: Value): SentValue {
  return { place: { path }, path, value };
}

/** Returns the path in the name of a parameter: `page`, `size` for `page[size]`. */
export function bracketPath(name: string): readonly string[] {
  const [root = "", ...rest] = name.split("[");
  return rest.length === 0 || root === "" ? [name] : [root, ...rest.map((part) => part.replace(/\]$/, ""))];
}

/** Usual page sizes of APIs. 10 is left out: complete lists of 10 records are too common for a warning. */
const usualSizes: ReadonlySet<number> = new Set([20, 25, 30, 50, 100, 200, 250, 500, 1000]);

/** The request of a page, and the number of records in its answer. */
interface Page {
  readonly request?: Request | undefined;
  readonly records: number;
}

/** Returns whether pages often have this number of records. */
export function isUsualSize(records: number): boolean {
  return usualSizes.has(records);
}

/**
 * Returns whether a page has the number of records that its request asks for, 10 records, or another usual number. More may then
 * follow.
 */
export function isFullPage({ request, records }: Page): boolean {
  return records === 10 || isUsualSize(records) || (request !== undefined && sizeSent(request)?.size === records);
}

/**
 * Returns the page size that a request asks for if exactly that number of records came. Undefined if the request names the same
 * number of things (`ids=1,2,3`), because these explain the number of records.
 */
export function filledPageSize({
  request,
  records,
}: Page): { readonly size: number; readonly place: PlaceInRequest } | undefined {
  const found = request && sizeSent(request);
  if (request === undefined || found?.size !== records) return undefined;
  const values = valuesSent(request).filter(({ place }) => "path" in place);
  const isList = values.some(({ value, path }) => {
    if (Array.isArray(value)) return value.length === records;
    const repeated = values.filter((one) => pathText(one.path) === pathText(path)).length;
    return repeated === records || (typeof value === "string" && value.split(",").length === records);
  });
  return isList ? undefined : found;
}
