import type { Pagination, Scroller } from "../generated/configuration.ts";
import { cursor } from "./cursor.ts";
import { link } from "./link.ts";
import { none } from "./none.ts";
import { offset } from "./offset.ts";
import { pagenum } from "./pagenum.ts";
import type { PagingMethod } from "./paging-method.ts";
import { responseParam } from "./response-param.ts";
import { responseUrl } from "./response-url.ts";
import { zendeskResponseUrl } from "./zendesk-response-url.ts";

/** The methods of paging. Each has one line here, one file and one schema. (`multiple` chooses among scrollers, see `multiple.ts`.) */
const methods = {
  offset,
  pagenum,
  "response.url": responseUrl,
  "zendesk.response.url": zendeskResponseUrl,
  "response.param": responseParam,
  cursor,
  link,
  none,
} satisfies {
  [M in Exclude<Pagination["method"], "multiple"> | Scroller["method"]]: PagingMethod<Extract<Scroller, { method: M }>>;
};

/** Returns the method of a scroller; `none` for a missing or unknown name, which is possible while faults are collected. */
export function methodOf({ method }: Scroller): PagingMethod<Scroller> {
  return Object.hasOwn(methods, method ?? "") ? (methods[method] as PagingMethod<Scroller>) : none;
}
