import { foundText } from "../config/found.ts";
import type { Fault } from "../core/errors.ts";
import type { OwnParameter, Parameter } from "../core/requests/request.ts";
import {
  bracketed,
  type ConfiguredPlace,
  type PlaceInRequest,
  placeName,
  placeOf,
  valueAtPlace,
} from "../core/requests/request-place.ts";
import type { ConfiguredSource } from "../core/runs/response-source.ts";
import { pointerTo } from "../core/values/path.ts";
import { integer, plainText, type Value } from "../core/values/value.ts";
import { isExpression } from "../expression/shape.ts";
import type { Job } from "../generated/configuration.ts";
import { ownParameters } from "./own-parameters.ts";
import type { CheckFindings } from "./paging-method.ts";
import type { SizeFields } from "./size.ts";

/** Returns the faults of a place in a request. Exactly one kind of place must be given. */
export function checkPlace(place: ConfiguredPlace | undefined, pointer: string): Fault[] {
  return place === undefined || typeof place === "string"
    ? []
    : checkKind(place, ["path", "query", "endpoint", "header"], pointer);
}

/** Returns the faults of the place of the page size, which may be false. */
export function checkSizePlace(place: ConfiguredPlace | boolean | undefined, pointer: string): Fault[] {
  if (place === true)
    return [{ pointer, message: "true is not a place: give a name, or false if the size is not sent" }];
  return place === false ? [] : checkPlace(place, pointer);
}

/** Returns the faults of a source. `allowsRecord`: true if the source may be a value of the last record. */
export function checkSource(source: ConfiguredSource | undefined, pointer: string, allowsRecord = true): Fault[] {
  if (source === undefined || typeof source === "string") return [];
  const { where, value, path } = source;
  if (value !== undefined && where === undefined)
    return [{ pointer, message: '"value" needs "where", which finds the element' }];
  if (where !== undefined && path === undefined)
    return [{ pointer, message: '"where" needs "path", which points to the list' }];
  return checkKind(source, allowsRecord ? ["path", "header", "lastRecord"] : ["path", "header"], pointer);
}

type PlaceFields = { readonly [K in "path" | "query" | "endpoint" | "header" | "lastRecord" | "delimiter"]?: string };

/** Returns the faults of a place or a source, which must have exactly one of the fields `names`. */
function checkKind(object: PlaceFields, names: readonly string[], pointer: string): Fault[] {
  const kinds = (["path", "query", "endpoint", "header", "lastRecord"] as const).filter(
    (name) => object[name] !== undefined,
  );
  const [kind, otherKind] = kinds;
  if (kind === undefined || otherKind !== undefined || !names.includes(kind)) {
    const list = names.map((name) => JSON.stringify(name)).join(names.length > 2 ? ", " : " and ");
    return [{ pointer, message: `needs exactly one of ${list}` }];
  }
  if (kind !== "header") return [];
  if (object.delimiter !== undefined) {
    return [
      {
        pointer: pointerTo(pointer, "delimiter"),
        message: 'separates the names of a path; it has no effect with "header"',
      },
    ];
  }
  if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(object.header ?? "")) return [];
  return [
    {
      pointer: pointerTo(pointer, "header"),
      message: `${foundText(object.header ?? "", [])} cannot be the name of a header`,
    },
  ];
}

/** Returns a fault if two places have one name: the second value would silently replace the first. */
export function checkDistinct(place: ConfiguredPlace, limit: ConfiguredPlace | false, pointer: string): Fault[] {
  if (limit === false) return [];
  const name = placeName(placeOf(place));
  if (name.toLowerCase() !== placeName(placeOf(limit)).toLowerCase()) return [];
  return name === placeName(placeOf(limit)) || (typeof place === "object" && "header" in place)
    ? [{ pointer, message: `${JSON.stringify(name)} is also the name of "limitParam": give one of them another name` }]
    : [];
}

/** Returns the faults of a page size or an offset that a job gives as its own parameter (contract C-2.5, C-6.3, C-6.18). */
export function checkOwnInteger(
  job: Job,
  place: ConfiguredPlace,
  minimum: number,
  what: string,
  pointer: string,
): Fault[] {
  const found = placeOf(place);
  const value = ownValue(job, found);
  if (value === undefined || isExpression(value, []) || integer(value, minimum) !== undefined) return [];
  const message = `as the ${what} of the job it must be an integer of at least ${minimum}, not ${foundText(value, [])}`;
  return [{ pointer: pointerOf(job, found, pointer), message }];
}

/**
 * Returns a warning if paging replaces a value of the job by `first` in the first request. `remedy`: a clause that says where to
 * set the value instead.
 */
export function overwrittenWarnings(
  job: Job,
  place: ConfiguredPlace,
  { first, remedy }: { readonly first: number; readonly remedy: string },
  pointer: string,
): Fault[] {
  const found = placeOf(place);
  const value = ownValue(job, found);
  if (value != null && plainText(value) !== String(first)) {
    return [
      { pointer: pointerOf(job, found, pointer), message: `is overwritten: paging sends ${first} here; ${remedy}` },
    ];
  }
  const inQuery = inEndpoint(job, found);
  if (inQuery === undefined || inQuery === String(first)) return [];
  const message = `"${placeName(placeOf(place))}" in the query is overwritten: paging sends ${first} there; ${remedy}`;
  return [{ pointer: pointerTo(pointer, "endpoint"), message }];
}

/**
 * Like `overwrittenWarnings`, but only for a value in the query of the endpoint: paging uses a value in the job's parameters.
 * `what`: the meaning of this value.
 */
export function overwrittenInEndpoint(
  job: Job,
  place: ConfiguredPlace,
  first: number,
  what: string,
  pointer: string,
): Fault[] {
  if (ownValue(job, placeOf(place)) != null) return [];
  return overwrittenWarnings(job, place, { first, remedy: `in "params" it is the ${what} of the job` }, pointer);
}

/** Returns the warning for a page size in the query of the endpoint. */
export function overwrittenSize({ limit, limitParam = "limit" }: SizeFields, job: Job, pointer: string): Fault[] {
  const size = integer(limit, 1);
  return size === undefined || limitParam === false
    ? []
    : overwrittenInEndpoint(job, limitParam, size, "page size", pointer);
}

function ownValue({ method, params, query, headers }: Job, place: PlaceInRequest): Value | undefined {
  const inHeaders = listOf(headers).map((one): OwnParameter => ({ ...one, carrier: "header" }));
  return valueAtPlace([...ownParameters(method, listOf(params), listOf(query)), ...inHeaders], place);
}

/** Returns the value at a place in the query of the endpoint. */
function inEndpoint({ endpoint, method = "GET" }: Job, place: PlaceInRequest): string | undefined {
  if (typeof endpoint !== "string" || "header" in place || "endpoint" in place) return undefined;
  if ("path" in place && method.toUpperCase() !== "GET") return undefined;
  const [, query = ""] = endpoint
    .split("#", 1)
    .join("")
    .split(/\?(.*)/s);
  return new URLSearchParams(query).get(bracketed("query" in place ? place.query : place.path)) ?? undefined;
}

/** Returns the faults of the page size that a job sets itself, if paging uses it. */
export function checkOwnSize({ limit, limitParam = "limit" }: SizeFields, job: Job, pointer: string): Fault[] {
  return limit === "unknown" || limitParam === false ? [] : checkOwnInteger(job, limitParam, 1, "page size", pointer);
}

/** Returns the pointer of a job's own value at a place. */
function pointerOf({ query = {}, headers = {} }: Job, place: PlaceInRequest, pointer: string): string {
  if ("header" in place) {
    const name = Object.keys(headers).find((one) => one.toLowerCase() === place.header.toLowerCase());
    return pointerTo(pointer, "headers", name ?? place.header);
  }
  const path = "path" in place ? place.path : "query" in place ? place.query : [];
  const isInQuery = "query" in place && Object.hasOwn(query, path[0] ?? "");
  return pointerTo(pointer, isInQuery ? "query" : "params", ...path);
}

function listOf(params: Job["params"] | Job["headers"]): readonly Parameter[] {
  return Object.entries(params ?? {}).map(([name, value]) => ({ name, value }));
}

/** Returns a warning about a path that its dots split wrongly: "@odata.nextLink" would be the member "nextLink" of "@odata". */
export function dottedKey(source: ConfiguredSource | undefined, pointer: string, remedy = ""): Fault[] {
  const text = typeof source === "string" ? source : undefined;
  if (text === undefined || !text.startsWith("@odata.")) return [];
  const member = JSON.stringify(text.slice("@odata.".length));
  return [{ pointer, message: `${JSON.stringify(text)} is read as the member ${member} of "@odata"${remedy}` }];
}

/** Returns the warning for a job's parameters, except `ownName`, that only its first request carries (contract C-6.24). */
export function firstPageOnly({ params = {}, query = {} }: Job, pointer: string, ownName?: string): Fault[] {
  const names = [...new Set([...Object.keys(params), ...Object.keys(query)])].filter((name) => name !== ownName);
  if (names.length === 0) return [];
  const list = names.map((name) => JSON.stringify(name)).join(", ");
  const message = `${list} ${names.length === 1 ? "is" : "are"} sent with the first request only; "includeParams": true in the pagination sends the parameters with every request`;
  return [{ pointer: pointerTo(pointer, Object.keys(params).length > 0 ? "params" : "query"), message }];
}

/** Returns the warnings for a job whose paging follows addresses: an address carries the query of a GET, but never a body. */
export function checkFollowed(
  { includeParams }: { readonly includeParams?: boolean },
  job: Job,
  pointer: string,
): CheckFindings {
  const hasBody = job.method !== undefined && job.method !== "GET";
  const warnings = hasBody && includeParams !== true ? firstPageOnly({ ...job, query: {} }, pointer) : [];
  return { faults: [], warnings };
}
