import { recordsAt } from "../../../compile/jobs/records-at.ts";
import {
  type Request,
  splitAddress,
  withHeaders,
  withParameters,
  withQueryParameters,
} from "../../../core/requests/request.ts";
import type { PageSummary } from "../../../core/runs/page.ts";
import { valueAt } from "../../../core/values/path.ts";
import { isNumber, isObject, type Value, valueText } from "../../../core/values/value.ts";
import { DocumentReader } from "../../../extract/document.ts";
import { limitHeaderNames } from "../../../knowledge/limits.ts";
import { type More, signalPlaceName, signalsOf } from "../../../knowledge/signals.ts";
import type { SignalPlace } from "../../../knowledge/sources.ts";
import { doubtsWithoutPaging, type Objection } from "../../../pagination/index.ts";
import { dataFieldOf } from "./answer.ts";
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
  /** The number of all records. */
  readonly total: StatedNumber | undefined;
  readonly pages: StatedNumber | undefined;
  /** A flag that says whether there is more. `stopOn`: its value on the last page, as in `nextPageFlag`. */
  readonly flag: { readonly field: PageField; readonly more: boolean; readonly stopOn: boolean } | undefined;
  /** Addresses, tokens, links and lists of links that lead to a next page, found by the rules of a run. */
  readonly nextSigns: readonly More[];
  /** The signs that more records exist, in words; "" for none. */
  readonly more: string;
  /** The signs that these are all records, in words; "" for none. */
  readonly all: string;
  /** Other doubts about the answer: it is not ready, it reports a failure, or some of its records are missing. */
  readonly doubts: readonly Objection[];
}

/** Reads what the first answer says about further records. The doubts are those of a run without paging. */
export function readExtent(page: FirstPage): Extent {
  const summary = summaryOf(page);
  const count = summary.records;
  const signals = signalsOf(summary);
  const figures = signals.figures.map((figure) => ({ ...figure, number: Number(figure.text) }));
  // A number smaller than the number of records on the page is not a total. A "count" may also be just that number.
  const totals = figures.filter(
    ({ kind, number }) => (kind === "total" && number >= count) || (kind === "count" && number > count),
  );
  const total = totals.find(({ number }) => number === count) ?? totals.sort((a, b) => b.number - a.number)[0];
  const pages = figures.find(({ kind }) => kind === "pages");
  const flag = flagOf(page, signals);
  const stated = (figure: (typeof figures)[number] | undefined): StatedNumber | undefined =>
    figure && {
      number: figure.number,
      source: sourceAt(figure.origin, page.document),
      shownText: signalPlaceName(figure.origin),
    };
  const objections = doubtsWithoutPaging(summary);
  const more = objections.filter(({ kind }) => kind === "more").map(({ text }) => text);
  const all = [
    flag?.more === false ? `"${flag.field.path.join(".")}" is ${flag.field.value}` : "",
    total !== undefined && total.number <= count ? `${signalPlaceName(total.origin)} is ${total.number}` : "",
  ];
  return {
    total: stated(total),
    pages: stated(pages),
    flag,
    nextSigns: signals.more.filter(({ kind }) => kind !== "flag"),
    more: more.join(" and "),
    all: more.length > 0 ? "" : all.filter((text) => text !== "").join(", "),
    doubts: objections.filter(({ kind }) => kind === "unready" || kind === "earlier"),
  };
}

/**
 * Returns the summary that a run would make of the first answer. An answer that is not a list is read as one that lacks the list,
 * so that a failure or a state in it counts.
 */
function summaryOf(page: FirstPage): PageSummary {
  const { description, document, place, response, header } = page;
  const { dataField, selection } = place.list ? recordsAt({ dataField: dataFieldOf(place) }) : { dataField: ["items"] };
  const reader = new DocumentReader({
    dataField,
    selection,
    watch: [],
    evidence: true,
    lines: () => undefined,
  });
  reader.write(Buffer.from(valueText(document)));
  return {
    ...reader.end(),
    url: description.address,
    ended: "document",
    status: response.status,
    last: new Map(),
    request: requestOf(page),
    headerNames: response.headers.map(([name]) => name),
    header,
    dropped: 0,
    digest: "",
    extremes: undefined,
  };
}

/** Returns the request as paging sees it. */
function requestOf({ description }: FirstPage): Request {
  const { method, address, params, query = [], headers } = description;
  const request: Request = {
    ...splitAddress(new URL(address)),
    method,
    body: method === "GET" ? undefined : [],
    headers: withHeaders(new Map(), headers),
  };
  return withParameters(withQueryParameters(request, query), params);
}

/**
 * Writes the place of a number for the configuration. If the value there is an object, this is the place of the number in it:
 * `hits.total.value`.
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
  /** `api.http.rateLimit`, if the headers state a number of requests for a second, a minute or an hour. */
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
