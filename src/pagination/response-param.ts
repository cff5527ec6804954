import { SpileError } from "../core/errors.ts";
import { endpointWithSlots } from "../core/requests/endpoint-place.ts";
import { type Parameter, type Request, withParameters, withQueryParameters } from "../core/requests/request.ts";
import { type PlaceInRequest, placeName, placeOf, valueAtPlace, withValues } from "../core/requests/request-place.ts";
import { readSource, sourceOf, sourceText } from "../core/runs/response-source.ts";
import { pointerTo } from "../core/values/path.ts";
import { isObject, scalarText, type ValueObject, valueText } from "../core/values/value.ts";
import { type ExpressionPlace, placeAt } from "../expression/place.ts";
import type { Job, ResponseParamPagination, ScrollRequest } from "../generated/configuration.ts";
import { checkPlace, checkSource, dottedKey, firstPageOnly } from "./check-fields.ts";
import { addressQuery, queryParameters, withoutOwnParameters } from "./own-parameters.ts";
import type { Paginator } from "./paginator.ts";
import type { PaginatorOptions } from "./paginator-options.ts";
import type { CheckFindings, PagingMethod } from "./paging-method.ts";
import { type Token, tokenOf, tokenValue, tooLong } from "./token.ts";
import { endOfRepetition, follow, noTrail, type Trail, trailFrom } from "./trail.ts";

type ResponseParamPosition = { readonly token: Token | null; readonly trail: Trail };

/** Sends a value of each response in the next request, perhaps to another endpoint (contract C-6.21). */
export const responseParam = { create, places, check, checkJob } satisfies PagingMethod<ResponseParamPagination>;

function create(pagination: ResponseParamPagination, options: PaginatorOptions): Paginator<ResponseParamPosition> {
  const { queryParam, includeParams = false, scrollRequest } = pagination;
  const source = sourceOf(pagination.responseParam);
  const place = queryParam === undefined ? undefined : placeOf(queryParam);
  const names = place !== undefined && "endpoint" in place ? [place.endpoint] : [];
  const where = sourceText(source);
  const name = `the value ${where}`;
  return {
    sources: [source],
    requestsNamePage: false,
    start(parameters) {
      const ownValue = place === undefined || scrollRequest !== undefined ? undefined : valueAtPlace(parameters, place);
      const text = ownValue === undefined ? undefined : (scalarText(ownValue) ?? valueText(ownValue));
      return { token: null, trail: text === undefined || text === "" ? noTrail : trailFrom(text) };
    },
    request(base, { token }) {
      if (token === null) {
        // Throws if a value cannot be put at the place, so that this is found before the first request is sent.
        if (place !== undefined && scrollRequest === undefined && includeParams) put(base, place, "");
        return base;
      }
      const keptRequest = includeParams ? base : withoutOwnParameters(base, options.defaults);
      const scrolled = scrollRequest === undefined ? keptRequest : merge(keptRequest, scrollRequest, options, names);
      return place === undefined ? withParameters(scrolled, membersOf(token)) : put(scrolled, place, tokenValue(token));
    },
    next({ trail }, summary, progress) {
      const round = endOfRepetition(trail, name, summary, progress);
      if (round !== undefined) return round;
      const token = tokenOf(readSource(source, summary));
      if (token === undefined) return { end: { kind: "complete", text: `ended without a value ${where}` } };
      const fail = tooLong(token, name) ?? (place === undefined ? noObject(token, name) : undefined);
      if (fail !== undefined) return { fail };
      const move = follow(trail, token.text, name, summary, progress);
      return "next" in move ? { ...move, next: { token, trail: move.next } } : move;
    },
    describe() {
      const as = place === undefined ? "one parameter for each member" : placeName(place);
      const to = scrollRequest?.endpoint === undefined ? "" : ` to ${scrollRequest.endpoint}`;
      return `${name} of each response sent as ${as}${to}, until it is empty`;
    },
  };
}

function put(request: Request, place: PlaceInRequest, value: ReturnType<typeof tokenValue>): Request {
  return withValues(request, [{ place, value }]);
}

/** Returns each member of an object as a parameter of its name. */
function membersOf(token: Token): readonly Parameter[] {
  const value = tokenValue(token);
  return isObject(value) ? Object.entries(value).map(([name, inner]) => ({ name, value: inner })) : [];
}

function noObject({ type }: Token, name: string): SpileError | undefined {
  if (type === "object") return undefined;
  return new SpileError("data", `${name} is not an object: to send another value, name its parameter in "queryParam"`);
}

function places({ scrollRequest }: ResponseParamPagination, pointer: string): readonly ExpressionPlace[] {
  return [
    ...placeAt(pointerTo(pointer, "scrollRequest", "params"), scrollRequest?.params),
    ...placeAt(pointerTo(pointer, "scrollRequest", "headers"), scrollRequest?.headers, [], "headers"),
  ];
}

function check({ responseParam: source, queryParam }: ResponseParamPagination, pointer: string): CheckFindings {
  const fieldPointer = pointerTo(pointer, "responseParam");
  return {
    faults: [...checkSource(source, fieldPointer), ...checkPlace(queryParam, pointerTo(pointer, "queryParam"))],
    warnings: dottedKey(source, fieldPointer),
  };
}

/** Returns a warning if only the first request carries the job's own parameters (contract C-6.24). */
function checkJob(
  { includeParams, scrollRequest, queryParam }: ResponseParamPagination,
  job: Job,
  pointer: string,
): CheckFindings {
  // A scroll request defines its own parameters, so no warning is needed.
  if (includeParams === true || scrollRequest !== undefined) return { faults: [], warnings: [] };
  const place = queryParam === undefined ? undefined : placeOf(queryParam);
  const path = place === undefined ? [] : "query" in place ? place.query : "path" in place ? place.path : [];
  const ownName = path.length === 1 ? path[0] : undefined;
  return { faults: [], warnings: firstPageOnly(job, pointer, ownName) };
}

/**
 * Merges the scroll request into the job's request as Generic Extractor does. Its endpoint and method replace those of the job if
 * they are given; its parameters and headers are added.
 */
function merge(
  base: Request,
  scroll: ScrollRequest,
  { build, evaluate }: PaginatorOptions,
  names: readonly string[],
): Request {
  if (build === undefined) throw new Error("scrollRequest needs a way to build requests");
  const evaluated = (values: ValueObject = {}) =>
    Object.entries(values).map(([name, value]) => [name, evaluate(value)] as const);
  const headers = new Map(base.headers);
  // This header describes the body of the job. A body of the scroll request gets its own.
  if (base.body !== undefined) headers.delete("content-type");
  const builtRequest = build({
    method: scroll.method ?? base.method,
    endpoint: scroll.endpoint === undefined ? base.url : endpointWithSlots(scroll.endpoint, names),
    params: [],
    headers: [...headers.values(), ...evaluated(scroll.headers)],
  });
  const params = evaluated(scroll.params).map(([name, value]) => ({ name, value }));
  const request = scroll.endpoint === undefined ? { ...builtRequest, query: addressQuery(base) } : builtRequest;
  // The parameters in the query of a POST stay in the query.
  if (base.body === undefined) return withParameters(request, [...queryParameters(base), ...params]);
  return withParameters(withQueryParameters(request, queryParameters(base)), [...base.body, ...params]);
}
