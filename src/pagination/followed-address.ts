import { SpileError } from "../core/errors.ts";
import {
  decodeForm,
  type Parameter,
  type QueryItem,
  type Request,
  splitAddress,
  withParameters,
  withQueryParameters,
} from "../core/requests/request.ts";
import type { PageSummary } from "../core/runs/page.ts";
import type { SourceInResponse } from "../core/runs/response-source.ts";
import { queryParameters, withoutOwnParameters } from "./own-parameters.ts";
import type { Move, Paginator } from "./paginator.ts";
import type { PaginatorOptions } from "./paginator-options.ts";
import { printableToken, type Token } from "./token.ts";
import { endOfRepetition, follow, noTrail, type Trail, trailFrom } from "./trail.ts";

export type AddressPosition = {
  /** An absolute address, or a query. Null for the job's own request. */
  readonly address: string | null;
  readonly trail: Trail;
};

/** The differences between methods that follow an address. */
export interface AddressMethod {
  readonly sources: readonly SourceInResponse[];
  /** Returns the address in a response; undefined if there is none. */
  read(summary: PageSummary): Token | undefined;
  /** Place of the address in words: `at "links.next"`. */
  readonly where: string;
  readonly isQuery: boolean;
  readonly includeParams: boolean;
  /** Returns the reason why an address is not followed; undefined if it is. `now` is in milliseconds. */
  stop?(address: string, now: number): string | undefined;
  readonly words: string;
}

/** Follows the address of the next page in each response (contract C-6.20, C-6.23). */
export function followAddress(method: AddressMethod, options: PaginatorOptions): Paginator<AddressPosition> {
  const { where, isQuery, includeParams } = method;
  const name = `the address ${where}`;
  return {
    sources: method.sources,
    requestsNamePage: false,
    start: () => ({ address: null, trail: noTrail }),
    request(base, { address }): Request {
      if (address === null) return base;
      const ownRequest = includeParams ? base : withoutOwnParameters(base, options.defaults);
      return isQuery ? withQuery(ownRequest, address) : withAddress(ownRequest, address);
    },
    next(position, summary, progress, now): Move<AddressPosition> {
      // A later page may lead back to the address of the first page.
      const isFirst = position.address === null && !isQuery;
      const trail = isFirst ? trailFrom(new URL(summary.url).href) : position.trail;
      const round = endOfRepetition(trail, name, summary, progress);
      if (round !== undefined) return round;
      const token = method.read(summary);
      if (token === undefined) return { end: { kind: "complete", text: `ended without an address ${where}` } };
      if (token.type !== "string") {
        return { fail: new SpileError("data", `${name} is not a text: paging needs an address there`) };
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

/** Resolves an address in a response against the address of that response (RFC 3986). Returns an error unless it is http(s). */
export function resolveAddress(text: string, current: string, name: string): URL | SpileError {
  const address = URL.canParse(text, current) ? new URL(text, current) : undefined;
  if (address !== undefined && /^https?:$/.test(address.protocol)) {
    address.hash = "";
    return address;
  }
  return new SpileError("data", `${name} is ${printableToken(JSON.stringify(text))}, which is not an http(s) address`);
}

/**
 * Returns a request for another address. The query of this address keeps its bytes, but the request's parameters replace those of
 * the same name, as in Generic Extractor.
 */
export function withAddress(request: Request, address: string): Request {
  return withQueryParameters({ ...request, ...splitAddress(new URL(address)) }, queryParameters(request));
}

/**
 * Returns a request with the pieces of a query (`paramIsQuery`: "?page=2", "page=2"), which replace the request's own parameters of
 * the same names. A request with a body gets them as parameters of the body.
 */
export function withQuery(request: Request, query: string): Request {
  const start = /^[^=&?]*\?/.exec(query)?.[0].length ?? 0;
  const { query: pieces } = splitAddress(new URL(`http://query/?${query.slice(start)}`));
  if (request.body !== undefined) return withParameters(request, bodyParameters(pieces));
  const byName = new Map<string, QueryItem[]>();
  for (const piece of pieces) {
    const found = byName.get(piece.name);
    if (found === undefined) byName.set(piece.name, [piece]);
    else found.push(piece);
  }
  const placed = new Set<string>();
  const ownItems = request.query.flatMap((item) => {
    const found = byName.get(item.name);
    if (found === undefined) return [item];
    if (placed.has(item.name)) return [];
    placed.add(item.name);
    return found;
  });
  return { ...request, query: [...ownItems, ...pieces.filter((piece) => !placed.has(piece.name))] };
}

/** Returns the pieces of a query as parameters of a body. A repeated name gets a list. */
function bodyParameters(pieces: readonly QueryItem[]): Parameter[] {
  const values = new Map<string, string[]>();
  for (const piece of pieces) {
    const [name = "", ...rest] = ("raw" in piece ? piece.raw : piece.name).split("=");
    const key = decodeForm(name);
    const value = decodeForm(rest.join("="));
    const before = values.get(key);
    if (before === undefined) values.set(key, [value]);
    else before.push(value);
  }
  return [...values].map(([name, [first = "", ...others]]) => ({
    name,
    value: others.length === 0 ? first : [first, ...others],
  }));
}
