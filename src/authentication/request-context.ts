import { decodeForm, type WireRequest } from "../core/requests/request.ts";
import type { Value } from "../core/values/value.ts";

/**
 * Returns the contexts `query` and `request` of a request about to be sent, in the form that Generic Extractor gives
 * them (contract C-4.1).
 */
export function requestContexts(wire: WireRequest): { readonly query: Value; readonly request: Value } {
  const url = new URL(wire.url);
  url.search = asForm(url.search);
  const queryString = url.search.slice(1);
  return {
    query: queryDocument(queryString),
    request: {
      url: url.href,
      path: url.pathname,
      queryString,
      method: wire.method,
      hostname: url.hostname,
      port: url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port),
      resource: url.pathname + url.search,
    },
  };
}

/**
 * Encodes spaces as + and ~ as %7E, as forms do. Generic Extractor makes these contexts before its client writes %20, and
 * signatures are computed from this text.
 */
function asForm(query: string): string {
  return query.replaceAll("%20", "+").replaceAll("~", "%7E");
}

/** Returns the decoded names and values of a query; a name that is repeated has a list of values. */
function queryDocument(queryString: string): Value {
  const values = new Map<string, string[]>();
  for (const piece of queryString.split("&").filter((text) => text !== "")) {
    const end = piece.indexOf("=");
    const name = decodeForm(end < 0 ? piece : piece.slice(0, end));
    values.set(name, [...(values.get(name) ?? []), end < 0 ? "" : decodeForm(piece.slice(end + 1))]);
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? "") : all]));
}
