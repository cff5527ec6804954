import { SpileError } from "../core/errors.ts";
import type { Request } from "../core/requests/request.ts";
import type { PageSummary } from "../core/runs/page.ts";
import type { SourceInResponse } from "../core/runs/response-source.ts";
import { atAddress, resolveAddress, withQuery } from "./next-address.ts";
import { withoutOwnParameters } from "./own-parameters.ts";
import type { Move, Paginator } from "./paginator.ts";
import type { PaginatorOptions } from "./paginator-options.ts";
import type { Token } from "./token.ts";
import { cameRound, follow, noTrail, type Trail, trailFrom } from "./trail.ts";

export type AddressPosition = {
  /** An absolute address, or a query; null: the job's own request. */
  readonly address: string | null;
  readonly trail: Trail;
};

/** The differences between methods that follow an address. */
export interface AddressMethod {
  readonly sources: readonly SourceInResponse[];
  /** Returns the address in a response. Undefined: there is none. */
  read(summary: PageSummary): Token | undefined;
  /** Place of the address, as in `at "links.next"`. */
  readonly where: string;
  readonly isQuery: boolean;
  readonly includeParams: boolean;
  /** Returns why an address is not followed. `now` is in milliseconds. */
  stop?(address: string, now: number): string | undefined;
  readonly words: string;
}

/** Follows the address of the next page in each response (contract C-6.20, C-6.23). */
export function followAddress(method: AddressMethod, options: PaginatorOptions): Paginator<AddressPosition> {
  const { where, isQuery, includeParams } = method;
  const name = `the address ${where}`;
  return {
    sources: method.sources,
    recordsTell: false,
    start: () => ({ address: null, trail: noTrail }),
    request(base, { address }): Request {
      if (address === null) return base;
      const ownRequest = includeParams ? base : withoutOwnParameters(base, options.defaults);
      return isQuery ? withQuery(ownRequest, address) : atAddress(ownRequest, address);
    },
    next(position, summary, progress, now): Move<AddressPosition> {
      // The first page had its own address, to which a later one may lead back.
      const isFirst = position.address === null && !isQuery;
      const trail = isFirst ? trailFrom(new URL(summary.url).href) : position.trail;
      const round = cameRound(trail, name, summary, progress);
      if (round !== undefined) return round;
      const token = method.read(summary);
      if (token === undefined) return { end: { kind: "complete", text: `ended without an address ${where}` } };
      if (token.type !== "string") {
        return { fail: new SpileError("data", `${name} is no text, which the paging needs there`) };
      }
      const resolved = isQuery ? undefined : resolveAddress(token.text, summary.url, name);
      if (resolved instanceof SpileError) return { fail: resolved };
      const address = resolved?.href ?? token.text;
      const stop = method.stop?.(address, now);
      if (stop !== undefined) return { end: { kind: "complete", text: stop } };
      const move = follow(trail, address, name, summary, progress);
      return "next" in move ? { ...move, next: { address, trail: move.next } } : move;
    },
    describe: () => method.words,
  };
}
