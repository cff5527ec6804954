import { SpileError } from "../../core/errors.ts";
import type { WireRequest } from "../../core/request.ts";
import type { Transport, WholeResponse } from "../../core/transport.ts";

/** A request that was sent, and what came. */
export interface Exchanged {
  readonly request: WireRequest;
  readonly response: WholeResponse;
}

/** Remembers every exchange, so that no request is sent twice, and counts those that are really sent. */
export interface ExchangeMemory {
  readonly transport: Transport;
  /** The exchanges since the last call, in order, those answered from memory included; was a request refused? */
  take(): { readonly exchanges: readonly Exchanged[]; readonly refused: boolean };
  /** Requests that may still be sent. */
  readonly left: number;
}

/** `most`: requests that may be sent; redirects count. `known`: exchanges seen elsewhere, by a browser say. */
export function createExchangeMemory(most: number, known: readonly Exchanged[] = []): ExchangeMemory {
  const answers = new Map(known.map(({ request, response }) => [keyOf(request), response]));
  let exchanges: Exchanged[] = [];
  let refused = false;
  let sent = 0;
  return {
    async transport(request, send) {
      const key = keyOf(request);
      let response = answers.get(key);
      if (response === undefined) {
        refused ||= sent >= most;
        if (sent >= most) throw new SpileError("temporary", "no more requests may be sent (--probes)");
        sent += 1;
        response = await send();
        answers.set(key, response);
      }
      exchanges.push({ request, response });
      return response;
    },
    take() {
      const taken = { exchanges, refused };
      exchanges = [];
      refused = false;
      return taken;
    },
    get left() {
      return most - sent;
    },
  };
}

/** Method, address, body, and the header that may page: the order of a query's names says nothing. */
function keyOf({ method, url, body, headers }: WireRequest): string {
  const { origin, pathname, searchParams } = new URL(url);
  const query = [...searchParams].map(([name, value]) => JSON.stringify([name, value])).sort();
  return JSON.stringify([
    method,
    origin + pathname,
    query,
    body === undefined ? "" : sortedJson(body),
    headers.get("range")?.[1],
  ]);
}

/** The members of a JSON body may stand in any order. */
function sortedJson(body: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(body)));
  } catch {
    return body;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
