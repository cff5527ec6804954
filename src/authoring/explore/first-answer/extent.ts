import { type Evidence, watchedOf } from "../../../core/runs/page.ts";
import { type Path, valueAt } from "../../../core/values/path.ts";
import { isNumber, isObject, type Value } from "../../../core/values/value.ts";
import type { ExchangeFacts } from "../../../knowledge/exchange-facts.ts";
import { roleIn } from "../../../knowledge/fields.ts";
import { limitHeaderNames } from "../../../knowledge/limits.ts";
import { isFullPage } from "../../../knowledge/parameters.ts";
import { type FieldZone, zoneOf } from "../../../knowledge/places.ts";
import { type More, moreOf, signalPlaceName, signalsOf } from "../../../knowledge/signals.ts";
import type { SignalPlace } from "../../../knowledge/sources.ts";
import { partialOf, unreadyOf } from "../../../knowledge/unfinished.ts";
import { type FirstPage, type PageField, sourceOf } from "./first-page.ts";

/** A number of records or pages that the API states, and its place. */
export interface StatedNumber {
  readonly number: number;
  /**
   * The number's place in the notation of `limitStop.field` and `pageCount`; undefined if the number is in JSON inside a header.
   */
  readonly source: Value | undefined;
  readonly shownText: string;
}

/** Everything that an answer says about how many records there are. */
export interface Extent {
  /** Number of all records. */
  readonly total: StatedNumber | undefined;
  readonly pages: StatedNumber | undefined;
  /** A flag that says whether there is more. */
  readonly flag: { readonly field: PageField; readonly more: boolean; readonly stopOn: boolean } | undefined;
  /** Addresses, tokens, links and lists of links that lead to a next page, found by the rules of a run. */
  readonly nextSigns: readonly More[];
  /** The signs that more records exist, in words; "" for none. */
  readonly more: string;
  /** The signs that these are all records, in words; "" for none. */
  readonly all: string;
}

/** Reads what the first answer says about further records, with the same rules as a run. */
export function readExtent(page: FirstPage): Extent {
  const count = page.place.records.length;
  const exchange = exchangeOf(page);
  const signals = signalsOf(exchange);
  const figures = signals.figures.map((figure) => ({ ...figure, number: Number(figure.text) }));
  const [total] = figures
    // A number smaller than the number of records on the page is not a total. A "count" that equals it may count only this page.
    .filter(
      ({ kind, number }) =>
        (kind === "total" || kind === "count") && number >= count && !(kind === "count" && number === count),
    )
    .sort((a, b) => b.number - a.number);
  const pages = figures.find(({ kind }) => kind === "pages");
  const flag = flagOf(page, signals);
  const estimate = figures.find(({ kind, number }) => kind === "estimate" && number > count);
  const isEstimated = estimate !== undefined && isFullPage({ records: count });
  const isFlag = (path: Path | undefined): boolean =>
    flag !== undefined && path?.join("\0") === flag.field.path.join("\0");
  const leadingSigns = moreOf(exchange).filter(
    ({ origin, value }) => !isFlag("path" in origin ? origin.path : undefined) && !isSent(page, value),
  );
  const stated = (figure: (typeof figures)[number] | undefined): StatedNumber | undefined =>
    figure && {
      number: figure.number,
      source: sourceAt(figure.origin, page.document),
      shownText: signalPlaceName(figure.origin),
    };
  const shownTotal = total === undefined ? "" : `${signalPlaceName(total.origin)} is ${total.number}`;
  const shownFlag = flag === undefined ? "" : `"${flag.field.path.join(".")}" is ${flag.field.value}`;
  const more = [
    total !== undefined && total.number > count ? shownTotal : "",
    pages !== undefined && pages.number > 1 ? `${signalPlaceName(pages.origin)} is ${pages.number}` : "",
    flag?.more === true ? shownFlag : "",
    page.response.status === 206 ? "the API answered with status 206 (Partial Content)" : "",
    isEstimated ? `${signalPlaceName(estimate.origin)} is ${estimate.number}` : "",
    ...leadingSigns.map(({ origin, says }) => `${signalPlaceName(origin)} ${says}`),
  ].filter((text) => text !== "");
  const all = [flag?.more === false ? shownFlag : "", total !== undefined && total.number <= count ? shownTotal : ""];
  return {
    total: stated(total),
    pages: stated(pages),
    flag,
    nextSigns: signals.more.filter(({ kind }) => kind !== "flag"),
    more: more.join(", "),
    all: more.length > 0 ? "" : all.filter((text) => text !== "").join(", "),
  };
}

/** Returns the clause that says that the first answer is not ready, or only a part of the result; undefined if it is whole. */
export function unfinishedOf({
  document,
  place,
}: FirstPage): { readonly text: string; readonly when?: object } | undefined {
  const { path, records, list } = place;
  const evidence = evidenceIn(document, list ? path : []);
  const facts = {
    evidence,
    records: list ? records.length : 0,
    found: list,
    dataPath: path,
    ended: "document",
  } as const;
  return unreadyOf(facts) ?? partialOf(facts);
}

function isSent({ requestParameters }: FirstPage, value: string | undefined): boolean {
  return value !== undefined && !/^[0-9]+$/.test(value) && requestParameters.some((one) => String(one.value) === value);
}

/** Returns the facts about the first exchange that a run would have. */
function exchangeOf({ description, document, place, response, header, fields }: FirstPage): ExchangeFacts {
  return {
    url: description.address,
    evidence: place.list && (fields.length > 0 || place.path.length > 0) ? evidenceIn(document, place.path) : [],
    dataPath: place.path,
    records: place.records.length,
    headerNames: response.headers.map(([name]) => name),
    header,
  };
}

/** Returns the fields beside the records whose names suggest that they speak of further records, with their values. */
function evidenceIn(document: Value, records: Path): readonly Evidence[] {
  const walk = (value: Value, path: Path, zone: FieldZone): readonly Evidence[] => {
    const members = isObject(value) || (Array.isArray(value) && path.length === 0) ? Object.entries(value) : [];
    return members.flatMap(([name, inner]): readonly Evidence[] => {
      const memberPath = [...path, name];
      const isOnWay = memberPath.every((step, index) => step === records[index]);
      if (isOnWay && memberPath.length === records.length) return [];
      const role = roleIn(zone, name);
      const found = role === undefined || isOnWay ? [] : [{ path: memberPath, value: watchedOf(inner) }];
      // In a list that contains the records, the first element may be an object of paging.
      const isBefore = Array.isArray(value) && records.length === 1 && name === "0";
      const next = isOnWay || isBefore ? "way" : zoneOf(zone, name);
      return [...found, ...(isObject(inner) && next !== undefined ? walk(inner, memberPath, next) : [])];
    });
  };
  return walk(document, [], "root");
}

/**
 * Writes the place of a figure for the configuration. If the figure is an object, the place of the number in it
 * (`hits.total.value`).
 */
function sourceAt(origin: SignalPlace, document: Value): Value | undefined {
  if ("header" in origin) return origin.member === undefined ? { header: origin.header } : undefined;
  const value = valueAt(document, origin.path);
  const inner = isObject(value) ? Object.keys(value).find((name) => isNumber(value[name] ?? null)) : undefined;
  return sourceOf(inner === undefined ? origin.path : [...origin.path, inner]);
}

/** Returns the flag of the body that says whether there is more. If there are several, returns the one nearest to the root. */
function flagOf({ fields }: FirstPage, { more, ends }: ReturnType<typeof signalsOf>): Extent["flag"] {
  const fieldAt = ({ origin }: Pick<More, "origin">): PageField | undefined =>
    "path" in origin
      ? fields.find(({ path, value }) => typeof value === "boolean" && path.join("\0") === origin.path.join("\0"))
      : undefined;
  const flags = [...more.map((one) => ({ one, isMore: true })), ...ends.map((one) => ({ one, isMore: false }))];
  return flags
    .filter(({ one }) => one.kind === "flag")
    .flatMap(({ one, isMore }) => {
      const field = fieldAt(one);
      return field === undefined ? [] : [{ field, more: isMore, stopOn: (field.value === true) !== isMore }];
    })
    .sort((a, b) => a.field.path.length - b.field.path.length)[0];
}

/** The rate limit that the headers of an answer state. */
export interface RateLimitFinding {
  readonly text: string;
  /** `api.http.rateLimit`, if the headers state a number of requests and a period. */
  readonly limit: string | undefined;
}

const periods: Readonly<Record<string, string>> = { "1": "s", "60": "m", "3600": "h" };

export function rateLimitOf(header: (name: string) => string | undefined): RateLimitFinding | undefined {
  const limitHeaders = limitHeaderNames.flatMap((name) => {
    const value = header(name);
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  if (limitHeaders.length === 0) return undefined;
  const policy = header("RateLimit-Policy") ?? "";
  const count = /(?:^|;)\s*q=([0-9]+)/.exec(policy)?.[1] ?? /^\s*([0-9]+)\s*;/.exec(policy)?.[1];
  const period = periods[/;\s*w=([0-9]+)/.exec(policy)?.[1] ?? ""];
  const limit = count === undefined || period === undefined || Number(count) === 0 ? undefined : `${count}/${period}`;
  return { text: `a rate limit: ${limitHeaders.join(", ")}`, limit };
}
