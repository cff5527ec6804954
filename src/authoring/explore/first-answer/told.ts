import type { Value } from "../../../core/value.ts";
import { linkTarget } from "../../../knowledge/link-header.ts";
import {
  lastNames,
  moreNames,
  nextHeaders,
  nextNames,
  nextTokenNames,
  pageTotalNames,
  plainName,
  totalNames,
} from "../parameters/names.ts";
import type { FirstPage, PageField } from "./first-page.ts";
import { pathValue } from "./first-page.ts";

/** A number that an API tells of all records, and where. */
export interface ToldTotal {
  readonly total: number;
  /** As `limitStop.field` takes it. */
  readonly source: Value;
  readonly shown: string;
}

/** What an answer tells of how much there is. */
export interface ToldMore {
  readonly total: ToldTotal | undefined;
  /** Number of pages. */
  readonly pages: { readonly count: number; readonly shown: string } | undefined;
  /** A flag that says whether there is more. */
  readonly flag: { readonly field: PageField; readonly more: boolean; readonly stopOn: boolean } | undefined;
  /** Words that say there is more; "" where nothing does. */
  readonly more: string;
  /** Words that say this is all. */
  readonly all: string;
}

const totalHeaders = ["X-Total-Count", "X-Total", "X-WP-Total", "Total-Count", "X-Pagination-Total-Count"];

export function readTold(page: FirstPage): ToldMore {
  const count = page.place.records.length;
  const total = totalOf(page, count);
  const pages = pagesOf(page);
  const flag = flagOf(page.fields);
  const next = page.fields
    .filter(({ plain }) => nextNames.has(plain) || nextTokenNames.has(plain))
    .find(({ value }) => value !== "" && value !== false && value !== 0);
  const links = linkTarget(page.header("link") ?? "", "next");
  const led = nextHeaders.find((name) => (page.header(name) ?? "") !== "");
  const more = [
    total !== undefined && total.total > count ? `${total.shown} is ${total.total}` : "",
    pages !== undefined && pages.count > 1 ? `${pages.shown} is ${pages.count}` : "",
    flag?.more === true ? `"${flag.field.path.join(".")}" is ${flag.field.value}` : "",
    page.response.status === 206 ? "it was answered with 206, a part" : "",
    links === undefined ? "" : "the Link header names a next page",
    led === undefined ? "" : `the header ${led} is set`,
    next === undefined || flag?.more === false ? "" : `"${next.path.join(".")}" is set`,
  ].filter((text) => text !== "");
  const all = [
    flag?.more === false ? `"${flag.field.path.join(".")}" is ${flag.field.value}` : "",
    total !== undefined && total.total <= count ? `${total.shown} is ${total.total}` : "",
  ].filter((text) => text !== "");
  return { total, pages, flag, more: more.join(", "), all: more.length > 0 ? "" : all.join(", ") };
}

function totalOf({ fields, header }: FirstPage, records: number): ToldTotal | undefined {
  for (const name of totalHeaders) {
    const text = header(name);
    if (text !== undefined && /^[0-9]{1,12}$/.test(text))
      return { total: Number(text), source: { header: name }, shown: `the header ${name}` };
  }
  const range = /\/([0-9]+)$/.exec(header("content-range") ?? "")?.[1];
  if (range !== undefined)
    return { total: Number(range), source: { header: "Content-Range" }, shown: "the header Content-Range" };
  const found = fields
    .filter(isTotal)
    .flatMap((field) => (/^[0-9]{1,12}$/.test(String(field.value)) ? [{ field, total: Number(field.value) }] : []))
    // A count that only counts the page's own records is no total, nor is what is less (Elasticsearch's `_shards.total`).
    .filter(({ field, total }) => total >= records && !(field.plain === "count" && total === records))
    .sort((a, b) => b.total - a.total);
  const [best] = found;
  if (best === undefined) return undefined;
  const { path } = best.field;
  return { total: best.total, source: sourceOf(path), shown: `"${path.join(".")}"` };
}

/** A field of such a name, or the `value` of an object of such a name (`hits.total.value`). */
function isTotal({ plain, path }: PageField): boolean {
  return totalNames.has(plain) || (plain === "value" && totalNames.has(plainName(path.at(-2) ?? "")));
}

function pagesOf({ fields, header }: FirstPage): ToldMore["pages"] {
  for (const name of ["X-Total-Pages", "X-WP-TotalPages"]) {
    const text = header(name);
    if (text !== undefined && /^[0-9]{1,9}$/.test(text)) return { count: Number(text), shown: `the header ${name}` };
  }
  const field = fields.find(({ plain, value }) => pageTotalNames.has(plain) && /^[0-9]{1,9}$/.test(String(value)));
  return field === undefined ? undefined : { count: Number(field.value), shown: `"${field.path.join(".")}"` };
}

/** The flag that says whether there is more; the one nearest to the root. */
function flagOf(fields: readonly PageField[]): ToldMore["flag"] {
  const flags = fields.flatMap((field) => {
    if (typeof field.value !== "boolean") return [];
    if (moreNames.has(field.plain)) return [{ field, more: field.value, stopOn: false }];
    if (lastNames.has(field.plain)) return [{ field, more: !field.value, stopOn: true }];
    return [];
  });
  return flags.sort((a, b) => a.field.path.length - b.field.path.length)[0];
}

/** A path as fields of the configuration take it: a text, unless keys hold dots. */
export function sourceOf(path: readonly string[]): Value {
  return path.some((step) => step.includes(".")) ? pathValue(path) : path.join(".");
}
