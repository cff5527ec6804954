import { SpileError } from "../core/errors.ts";
import { fieldWith } from "../core/field-name.ts";
import type { OwnParameter } from "../core/requests/request.ts";
import {
  type ConfiguredPlace,
  type PlacedValue,
  type PlaceInRequest,
  placeName,
  placeOf,
  valueAtPlace,
} from "../core/requests/request-place.ts";
import type { PageSummary } from "../core/runs/page.ts";
import { printable, shortText } from "../core/text/printable.ts";
import { shellArgument } from "../core/text/shell.ts";
import { integer, valueText } from "../core/values/value.ts";
import { signalsOf } from "../knowledge/signals.ts";
import type { Reason, Warning } from "./paginator.ts";
import type { PaginatorOptions } from "./paginator-options.ts";

/** State of `offset` and `pagenum` about the size of pages. */
export type Stride = {
  /** Number of records on a full page. Requests carry it if they have a place for it. Null if it is not known. */
  readonly size: number | null;
  /** True if the size is a parameter of the job, not the configured one. */
  readonly isFromJob: boolean;
  /**
   * Minimum number of records on a page that is not the last: the size, or the number of records on a short page after which a
   * probe found more. Null if only an empty page is the last.
   */
  readonly stride: number | null;
  /** True on the job's first page. */
  readonly first: boolean;
  /** True if the end was probed already. */
  readonly probed: boolean;
  /** True if an earlier page held another number of inner records than the page size: the API counts the elements. */
  readonly countsElements: boolean;
};

/** Returns the job's own parameter at a place, as an integer of at least `minimum`; undefined if the job has none. */
export function ownInteger(
  parameters: readonly OwnParameter[],
  place: PlaceInRequest,
  minimum: number,
): number | undefined {
  const ownValue = valueAtPlace(parameters, place);
  if (ownValue === undefined) return undefined;
  const number = integer(ownValue, minimum);
  if (number !== undefined) return number;
  throw new SpileError(
    "configuration",
    `${"path" in place ? "params." : ""}${placeName(place)}: ${shortText(printable(valueText(ownValue)), 80)} is not allowed, paging needs an integer of at least ${minimum}`,
  );
}

/** The configured page size: a number, "unknown", or undefined. */
type ConfiguredSize = number | "unknown" | undefined;

/**
 * Returns the state before the first page, with the page size: the job's own parameter, else the configured size (contract
 * C-6.3). Parameters do not count if no request carries the size, or if the configuration says that it is unknown (contract
 * C-26.3).
 */
export function pageSize(
  parameters: readonly OwnParameter[],
  place: PlaceInRequest | undefined,
  limit: ConfiguredSize,
): Stride {
  const ownSize = place === undefined || limit === "unknown" ? undefined : ownInteger(parameters, place, 1);
  const size = ownSize ?? (limit === "unknown" ? null : (integer(limit, 1) ?? null));
  return { size, isFromJob: ownSize !== undefined, stride: size, first: true, probed: false, countsElements: false };
}

/** The fields of a method that say how the page size is sent. */
export interface SizeFields {
  readonly limit?: ConfiguredSize;
  readonly limitParam?: ConfiguredPlace | false;
}

/** Returns the place of the page size; undefined if no request carries it. */
export function sizePlace({ limitParam = "limit" }: SizeFields): PlaceInRequest | undefined {
  return limitParam === false ? undefined : placeOf(limitParam);
}

/** Returns the page size for its place, as a list; empty if there is no place or no size. */
export function sizeValue(place: PlaceInRequest | undefined, { size }: Stride): readonly PlacedValue[] {
  return place === undefined || size === null ? [] : [{ place, value: size }];
}

/** Returns the page size that a request carries; null for none. `sends`: true if the request has paging parameters. */
export function sentSize(
  place: PlaceInRequest | undefined,
  { size, isFromJob }: Stride,
  sends: boolean,
): number | null {
  return place !== undefined && (sends || isFromJob) ? size : null;
}

/** The way in which a page's size was requested. */
interface SizeInRequest extends Pick<PaginatorOptions, "remedies"> {
  /** Place of the size; undefined if no request carries it. */
  readonly limitPlace: PlaceInRequest | undefined;
  /** True if the request carried the size. With `firstPageParams: false` the first request does not carry it. */
  readonly sent: boolean;
}

/**
 * Returns the reason to end at a page because of its size alone; undefined to continue. The reason contains a remedy in case
 * the API has more.
 */
export function shortPage(summary: PageSummary, position: Stride, request: SizeInRequest): Reason | undefined {
  const { records } = summary;
  if (records === 0) return { kind: "complete", text: "ended with an empty page" };
  if (position.stride === null || records >= position.stride) return undefined;
  const doubt = fullWithin(summary, position);
  if (request.limitPlace === undefined) {
    return {
      kind: "complete",
      text: `ended with a page of ${records}, fewer than the page size of ${position.stride}`,
      doubt,
      remedy: `if the API's pages have ${records} records, set ${fieldWith("limit", records, request.remedies)} or "limit": "unknown"`,
    };
  }
  if (!request.sent && !position.isFromJob) {
    return {
      kind: "complete",
      text: `ended with a page of ${records}, fewer than the page size of ${position.stride}, which was not requested`,
      doubt,
      remedy: `if the API's own pages have ${records} records, set "firstPageParams": true or "limit": ${records}`,
    };
  }
  const size = position.stride === position.size ? `the requested ${position.stride}` : `the ${position.stride} before`;
  return {
    kind: "complete",
    text: `ended with a page of ${records}, fewer than ${size}`,
    doubt,
    remedy: position.first
      ? capRemedy(records, position, { ...request, limitPlace: request.limitPlace })
      : position.probed
        ? undefined
        : probeRemedy,
  };
}

/** Returns the state for the pages after a page that is not the last. */
export function afterPage({ sample, records }: PageSummary, { size, countsElements, probed }: Stride) {
  // If the API counts elements, a page of the requested size contains another number of inner records. A page of another size
  // proves nothing.
  const shows = !probed && records === size && sample !== undefined && sample.records !== size;
  return { first: false, countsElements: countsElements || shows };
}

/**
 * Returns the doubt about a short page whose elements hold exactly as many inner records as the page size: the API may count the
 * inner records (contract C-26.1). There is no doubt if the page has a total or says that it is the last, or if an earlier page
 * has shown that the API counts the elements.
 */
function fullWithin(summary: PageSummary, { size, countsElements }: Stride): string | undefined {
  const innerRecords = summary.sample?.records ?? 0;
  if (countsElements || innerRecords <= summary.records || innerRecords !== size) return undefined;
  const { figures, ends } = signalsOf(summary, size);
  if (figures.length > 0 || ends.length > 0) return undefined;
  const what = `its elements hold ${innerRecords} records in lists, exactly the page size`;
  return `${what}, so the API may count those; "limit": "unknown" continues until an empty page`;
}

const probeRemedy = "use --probe-end to ask beyond a short page";

function capRemedy(
  records: number,
  { isFromJob }: Stride,
  { limitPlace, remedies }: SizeInRequest & { readonly limitPlace: PlaceInRequest },
): string {
  const [field, path] =
    "query" in limitPlace ? ["query", limitPlace.query] : ["params", "path" in limitPlace ? limitPlace.path : []];
  const recordCount = path.reduceRight((inner, step) => `{${JSON.stringify(step)}: ${inner}}`, String(records));
  const parameter =
    remedies === "options"
      ? `--param ${shellArgument(`${placeName(limitPlace)}=${records}`)}`
      : `"${field}": ${recordCount}`;
  const setting = isFromJob ? parameter : fieldWith("limit", records, remedies);
  return `if the API limits its pages to ${records} records, set ${setting} or use --probe-end`;
}

/** Returns the position of a probe after a short page. The number of records on that page becomes the stride (contract C-6.7). */
export function probePosition(records: number): Pick<Stride, "stride" | "first" | "probed"> {
  return { stride: records, first: false, probed: true };
}

/** Returns a warning if a page holds more records than requested. */
export function longPage(
  summary: PageSummary,
  position: Stride,
  isAsked: boolean,
  continuation: string,
): Warning | undefined {
  if (!isAsked || position.size === null || summary.records <= position.size) return undefined;
  return {
    key: "long",
    text: `a page has ${summary.records} records although ${position.size} were requested: the API ignores the page size; ${continuation}`,
  };
}
