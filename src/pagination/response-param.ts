import { watchKey } from "../core/page.ts";
import { parsePath, pointer } from "../core/path.ts";
import { type Request, withParameters } from "../core/request.ts";
import { scalarText, type ValueObject } from "../core/value.ts";
import { placeAt } from "../expression/place.ts";
import type { ResponseParamPagination, ScrollRequest } from "../generated/configuration.ts";
import { addressQuery, parametersOf, withoutOwnParameters } from "./own-parameters.ts";
import type { Paginator } from "./paginator.ts";
import type { PagingMethod } from "./paging-method.ts";
import type { Surroundings } from "./surroundings.ts";
import { type Token, tokenOf, tokenValue, tooLong } from "./token.ts";
import { cameRound, follow, noTrail, type Trail, trailFrom } from "./trail.ts";

type ResponseParamPosition = { readonly token: Token | null; readonly trail: Trail };

/** Sends a value of each response in the next request, maybe to another endpoint (contract C-6.21). */
export const responseParam = {
  create,
  places: ({ scrollRequest }, at) => [
    ...placeAt(pointer(at, "scrollRequest", "params"), scrollRequest?.params),
    ...placeAt(pointer(at, "scrollRequest", "headers"), scrollRequest?.headers, [], "headers"),
  ],
  check: () => [],
  ownIntegers: () => [],
} satisfies PagingMethod<ResponseParamPagination>;

function create(pagination: ResponseParamPagination, surroundings: Surroundings): Paginator<ResponseParamPosition> {
  const { responseParam: source, queryParam, includeParams = false, scrollRequest } = pagination;
  const path = parsePath(source);
  return {
    watch: [path],
    recordsTell: false,
    start(parameters) {
      const own = parameters.find((parameter) => parameter.name === queryParam);
      const text = own === undefined || scrollRequest !== undefined ? undefined : scalarText(own.value);
      return { token: null, trail: text === undefined || text === "" ? noTrail : trailFrom(text) };
    },
    request(base, { token }) {
      if (token === null) return base;
      const kept = includeParams ? base : withoutOwnParameters(base, surroundings.defaults);
      const scrolled = scrollRequest === undefined ? kept : merge(kept, scrollRequest, surroundings);
      return withParameters(scrolled, [{ name: queryParam, value: tokenValue(token) }]);
    },
    next({ trail }, summary, progress) {
      const name = `the value at "${source}"`;
      const round = cameRound(trail, name, summary, progress);
      if (round !== undefined) return round;
      const token = tokenOf(summary.watched.get(watchKey(path)));
      if (token === undefined) return { end: { kind: "complete", text: `ended without a value at "${source}"` } };
      const fail = tooLong(token, source);
      if (fail !== undefined) return { fail };
      const move = follow(trail, token.text, name, summary, progress);
      return "next" in move ? { ...move, next: { token, trail: move.next } } : move;
    },
    describe: () =>
      `the response's "${source}" sent as ${queryParam}${scrollRequest?.endpoint === undefined ? "" : ` to ${scrollRequest.endpoint}`}, until it is empty`,
  };
}

/** The scroll request laid over the job's: its endpoint and method replace, its parameters and headers add (GE). */
function merge(base: Request, scroll: ScrollRequest, { build, evaluate }: Surroundings): Request {
  if (build === undefined) throw new Error("scrollRequest needs a way to build requests");
  const evaluated = (values: ValueObject = {}) =>
    Object.entries(values).map(([name, value]) => [name, evaluate(value)] as const);
  const headers = new Map(base.headers);
  // It told of the job's body; a body of the scroll request brings its own.
  if (base.body !== undefined) headers.delete("content-type");
  const built = build({
    method: scroll.method ?? base.method,
    endpoint: scroll.endpoint ?? base.url,
    params: [],
    headers: [...headers.values(), ...evaluated(scroll.headers)],
  });
  const params = evaluated(scroll.params).map(([name, value]) => ({ name, value }));
  const request = scroll.endpoint === undefined ? { ...built, query: addressQuery(base) } : built;
  return withParameters(request, [...parametersOf(base), ...params]);
}
