import { SpileError } from "../core/errors.ts";
import { watchKey } from "../core/page.ts";
import { parsePath } from "../core/path.ts";
import type { ResponseUrlPagination } from "../generated/configuration.ts";
import { atAddress, resolveAddress, withQuery } from "./next-address.ts";
import { parametersOf, withoutOwnParameters } from "./own-parameters.ts";
import type { Paginator } from "./paginator.ts";
import type { PagingMethod } from "./paging-method.ts";
import type { Surroundings } from "./surroundings.ts";
import { tokenOf } from "./token.ts";
import { cameRound, follow, noTrail, type Trail, trailFrom } from "./trail.ts";

type ResponseUrlPosition = {
  /** An absolute address, or with `paramIsQuery` a query; null: the job's own request. */
  readonly address: string | null;
  readonly trail: Trail;
};

/** Follows the address of the next page that each response holds (contract C-6.20). */
export const responseUrl = {
  create,
  places: () => [],
  check: () => [],
  ownIntegers: () => [],
} satisfies PagingMethod<ResponseUrlPagination>;

function create(pagination: ResponseUrlPagination, surroundings: Surroundings): Paginator<ResponseUrlPosition> {
  const { urlKey = "next_page", delimiter = ".", paramIsQuery = false, includeParams = false } = pagination;
  const path = parsePath(urlKey, delimiter);
  return {
    watch: [path],
    recordsTell: false,
    start: () => ({ address: null, trail: noTrail }),
    request(base, { address }) {
      if (address === null) return base;
      const own = includeParams ? base : withoutOwnParameters(base, surroundings.defaults);
      return paramIsQuery ? withQuery(own, address) : atAddress(base, address, parametersOf(own));
    },
    next(position, summary, progress) {
      const name = `the address at "${urlKey}"`;
      // The first page was brought by its own address, to which a later one may lead.
      const own = position.address === null && !paramIsQuery;
      const trail = own ? trailFrom(new URL(summary.url).href) : position.trail;
      const round = cameRound(trail, name, summary, progress);
      if (round !== undefined) return round;
      const token = tokenOf(summary.watched.get(watchKey(path)));
      if (token === undefined) return { end: { kind: "complete", text: `ended without an address at "${urlKey}"` } };
      if (token.type !== "string") {
        return { fail: new SpileError("data", `"${urlKey}" holds no text, response.url needs an address there`) };
      }
      const resolved = paramIsQuery ? undefined : resolveAddress(token.text, summary.url, urlKey);
      if (resolved instanceof SpileError) return { fail: resolved };
      const address = resolved?.href ?? token.text;
      const move = follow(trail, address, name, summary, progress);
      return "next" in move ? { ...move, next: { address, trail: move.next } } : move;
    },
    describe: () => `the ${paramIsQuery ? "query" : "address"} at "${urlKey}" of each response, until it is empty`,
  };
}
