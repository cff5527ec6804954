import { pointer } from "../core/path.ts";
import type { ExpressionPlace } from "../expression/place.ts";
import type { Pagination, Scroller } from "../generated/configuration.ts";
import { cursor } from "./cursor.ts";
import { none } from "./none.ts";
import { offset } from "./offset.ts";
import { pagenum } from "./pagenum.ts";
import type { PagingMethod } from "./paging-method.ts";
import { responseParam } from "./response-param.ts";
import { responseUrl } from "./response-url.ts";

/** The methods of paging: one line, one file, one schema each. (`multiple` is a choice among them, see `multiple.ts`.) */
const methods = {
  offset,
  pagenum,
  "response.url": responseUrl,
  "response.param": responseParam,
  cursor,
  none,
} satisfies {
  [M in Exclude<Pagination["method"], "multiple"> | Scroller["method"]]: PagingMethod<
    Extract<Scroller, { readonly method: M }>
  >;
};

/** The method of a scroller that has passed the schema, or is to be told of beside its faults. */
export function methodOf({ method }: Scroller): PagingMethod<Scroller> {
  // The method may be missing where faults of the whole configuration are told at once.
  return Object.hasOwn(methods, method ?? "") ? (methods[method] as PagingMethod<Scroller>) : none;
}

/** The scrollers of a pagination with their pointers: those of `multiple`, or the one that it is. */
export function scrollersOf(
  pagination: Pagination,
  at: string,
): readonly (readonly [scroller: Scroller, at: string])[] {
  if (pagination.method !== "multiple") return [[pagination, at]];
  return Object.entries(pagination.scrollers ?? {}).map(([name, scroller]) => [
    scroller,
    pointer(at, "scrollers", name),
  ]);
}

/** Where the expressions of a pagination stand. */
export function paginationPlaces(pagination: Pagination, at: string): readonly ExpressionPlace[] {
  return scrollersOf(pagination, at).flatMap(([scroller, here]) => methodOf(scroller).places(scroller, here));
}
