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

/** The part of a position that `offset` and `pagenum` share. */
export type SizeState = {
  /** Number of records on a full page; null if it is not known. */
  readonly size: number | null;
  /** True if the size is a parameter of the job, not the configured one. */
  readonly isFromJob: boolean;
  /**
   * Minimum number of records on a page that is not the last: the size, or, after a short page and a probe, the number of records
   * on that short page. Null if only an empty page is the last.
   */
  readonly stride: number | null;
  /** True on the job's first page. */
  readonly first: boolean;
  /** True from the job's first probe on. */
  readonly probed: boolean;
  /** For records in lists inside elements: true if an earlier page showed that the page size counts the elements. */
  readonly countsElements: boolean;
};

/**
 * Returns the job's own parameter at a place; undefined if the job has none. Throws SpileError("configuration") unless it is an
 * integer of at least `minimum`.
 */
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
    `${"path" in place ? "params." : ""}${placeName(place)}: ${shortText(printable(valueText(ownValue)), 80)} is not allowed: paging needs an integer of at least ${minimum}`,
  );
}

type ConfiguredSize = number | "unknown" | undefined;

/**
 * Returns the state for the first page. The page size is the job's own parameter at `place`, else `limit` (contract C-6.3). The
 * parameter does not count if `limit` is "unknown" (contract C-26.3).
 */
export function startState(
  parameters: readonly OwnParameter[],
  place: PlaceInRequest | undefined,
  limit: ConfiguredSize,
): SizeState {
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

/** Returns the page size with its place, as a list; empty if there is no place or no size. */
export function sizeValue(place: PlaceInRequest | undefined, { size }: SizeState): readonly PlacedValue[] {
  return place === undefined || size === null ? [] : [{ place, value: size }];
}

/** Returns the page size that a request carries; null for none. `isPaged`: true if paging adds parameters to the request. */
export function sentSize(
  place: PlaceInRequest | undefined,
  { size, isFromJob }: SizeState,
  isPaged: boolean,
): number | null {
  return place !== undefined && (isPaged || isFromJob) ? size : null;
}

/** The way in which a page's size was requested. */
interface SizeInRequest extends Pick<PaginatorOptions, "remedies"> {
  /** Place of the size; undefined if no request carries it. */
  readonly limitPlace: PlaceInRequest | undefined;
  /** True if paging added its parameters to the request. With `firstPageParams: false`, the first request has none. */
  readonly isPaged: boolean;
}

/** Returns the reason to end at a page that is empty or not full; undefined to continue. */
export function shortPage(summary: PageSummary, position: SizeState, request: SizeInRequest): Reason | undefined {
  const { records } = summary;
  if (records === 0) return { kind: "complete", text: "ended with an empty page" };
  if (position.stride === null || records >= position.stride) return undefined;
  const doubt = innerSizeDoubt(summary, position);
  if (request.limitPlace === undefined) {
    return {
      kind: "complete",
      text: `ended with a page of ${records}, fewer than the page size of ${position.stride}`,
      doubt,
      remedy: `if the API's pages have ${records} records, set ${fieldWith("limit", records, request.remedies)} or "limit": "unknown"`,
    };
  }
  if (!request.isPaged && !position.isFromJob) {
    return {
      kind: "complete",
      text: `ended with a page of ${records}, fewer than the page size of ${position.stride}, which was not requested`,
      doubt,
      remedy: `if the API's own pages have ${records} records, set "firstPageParams": true or "limit": ${records}`,
    };
  }
  const size =
    position.stride === position.size
      ? `the requested ${position.stride}`
      : `the ${position.stride} of a page before it`;
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

/** Returns the fields of the state that change after a page. */
export function afterPage({ sample, records }: PageSummary, { size, countsElements, probed }: SizeState) {
  // If records are in lists, `records` counts the elements around them, and `sample.records` the records themselves.
  const showsElements = !probed && records === size && sample !== undefined && sample.records !== size;
  return { first: false, countsElements: countsElements || showsElements };
}

/**
 * Returns the doubt about a short page whose elements hold exactly as many inner records as the page size: the API may count the
 * inner records (contract C-26.1). There is no doubt if the page has a total or says that it is the last, or if an earlier page
 * has shown that the API counts the elements.
 */
function innerSizeDoubt(summary: PageSummary, { size, countsElements }: SizeState): string | undefined {
  const innerRecords = summary.sample?.records ?? 0;
  if (countsElements || innerRecords <= summary.records || innerRecords !== size) return undefined;
  const { figures, ends } = signalsOf(summary, size);
  if (figures.length > 0 || ends.length > 0) return undefined;
  const what = `its elements hold ${innerRecords} records in lists, exactly the page size`;
  return `${what}, so the API may count these records; "limit": "unknown" continues until an empty page`;
}

const probeRemedy = "use --probe-end to request one more page after a short one";

function capRemedy(
  records: number,
  { isFromJob }: SizeState,
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

/** Returns the changed state for a probe after a short page. `records`: the number of records on that page (contract C-6.7). */
export function probeState(records: number): Pick<SizeState, "stride" | "first" | "probed"> {
  return { stride: records, first: false, probed: true };
}

/** Returns a warning if a page holds more records than requested. */
export function longPage(
  summary: PageSummary,
  position: SizeState,
  isPaged: boolean,
  continuation: string,
): Warning | undefined {
  if (!isPaged || position.size === null || summary.records <= position.size) return undefined;
  return {
    key: "long",
    text: `a page has ${summary.records} records although ${position.size} were requested: the API ignores the page size; ${continuation}`,
  };
}
