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
import { queryParameters } from "./own-parameters.ts";
import { shortText } from "./token.ts";

/** Resolves the address in a response against the one it came from (RFC 3986). Returns a data error if it cannot be followed. */
export function resolveAddress(text: string, current: string, name: string): URL | SpileError {
  const address = URL.canParse(text, current) ? new URL(text, current) : undefined;
  if (address !== undefined && /^https?:$/.test(address.protocol)) {
    address.hash = "";
    return address;
  }
  return new SpileError("data", `${name} is ${shortText(JSON.stringify(text))}, which is not an http(s) address`);
}

/**
 * Returns a request for another address, whose query keeps its bytes. The request's parameters replace those of the same name
 * (GE).
 */
export function atAddress(request: Request, address: string): Request {
  return withQueryParameters({ ...request, ...splitAddress(new URL(address)) }, queryParameters(request));
}

/** Returns a request with the pieces of a query in place of its own of the same names (`paramIsQuery`): "?page=2", "page=2". */
export function withQuery(request: Request, query: string): Request {
  const start = /^[^=&?]*\?/.exec(query)?.[0].length ?? 0;
  const { query: pieces } = splitAddress(new URL(`http://query/?${query.slice(start)}`));
  if (request.body !== undefined) return withParameters(request, decoded(pieces));
  const byName = new Map<string, QueryItem[]>();
  for (const piece of pieces) {
    const found = byName.get(piece.name);
    if (found === undefined) byName.set(piece.name, [piece]);
    else found.push(piece);
  }
  const placed = new Set<string>();
  const kept = request.query.flatMap((item) => {
    const found = byName.get(item.name);
    if (found === undefined) return [item];
    if (placed.has(item.name)) return [];
    placed.add(item.name);
    return found;
  });
  return { ...request, query: [...kept, ...pieces.filter((piece) => !placed.has(piece.name))] };
}

/** Returns pieces of a query as parameters of a body. A repeated name becomes a list. */
function decoded(pieces: readonly QueryItem[]): Parameter[] {
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
