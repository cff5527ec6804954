import type { Value } from "../values/value.ts";

/** GET puts parameters in the query, POST in a JSON body, FORM in a form body sent by HTTP POST (contract C-3.4). */
export type Method = "GET" | "POST" | "FORM";

export interface Parameter {
  readonly name: string;
  readonly value: Value;
}

/**
 * A parameter or a header that the job itself has. `carrier`: the only part of the request that contains it; absent for a parameter
 * of a GET, which is always in the query.
 */
export interface OwnParameter extends Parameter {
  readonly carrier?: "query" | "body" | "header";
}

/**
 * A part of a query: a parameter, or a piece of an address that is sent unchanged (`raw`). The `name` of a piece is decoded, and
 * ends before the first `[`.
 */
export type QueryItem = Parameter | { readonly name: string; readonly raw: string };

/** Headers by lower-case name. `name` has the spelling that is sent. */
export type HeaderMap = ReadonlyMap<string, readonly [name: string, value: string]>;

/** The style in which queries and forms write lists and booleans. */
export interface QueryStyle {
  /** `indices`: `a[0]=x`; `brackets`: `a[]=x`; `repeat`: `a=x&a=y`; `comma`: `a=x,y`. */
  readonly lists: "indices" | "brackets" | "repeat" | "comma";
  /** `numbers`: 1 and 0; `words`: true and false. */
  readonly booleans: "numbers" | "words";
}

/** PHP's style. */
export const phpStyle: QueryStyle = { lists: "indices", booleans: "numbers" };

/** A request before authentication and serialisation. Immutable: every change makes a new request. */
export interface Request {
  readonly method: Method;
  /** Absolute http(s) address without query, fragment and userinfo. */
  readonly url: string;
  readonly query: readonly QueryItem[];
  /** Parameters of the body, for POST and FORM. */
  readonly body: readonly Parameter[] | undefined;
  readonly headers: HeaderMap;
  /** Style of the query and the form body; `phpStyle` if absent. */
  readonly style?: QueryStyle | undefined;
}

/** A request in the form in which it is sent. */
export interface WireRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: HeaderMap;
  readonly body: string | undefined;
}

/** The whole response to a login or a step. */
export interface SmallResponse {
  readonly status: number;
  /** The address that answered, after redirects. */
  readonly url: string;
  readonly contentType: string | undefined;
  /** Returns a header by its name in any case. */
  header(name: string): string | undefined;
  /** The decoded bytes as text. */
  readonly body: string;
}

export interface LoginSendOptions {
  /** Statuses besides 2xx that do not count as a failure. */
  readonly accept?: readonly number[] | undefined;
  /** True if the address comes from an answer. The request is then refused unless the address is on a trusted origin. */
  readonly isFromAnswer?: boolean;
}

/** Sends one request with retries and redirects, and reads its whole answer (up to 1 MiB). Rejects with SpileError. */
export type Send = (request: Request, options?: LoginSendOptions) => Promise<SmallResponse>;

/** Adds headers. They replace those of the same names, in any case (contract C-3.5). */
export function withHeaders(headers: HeaderMap, added: Iterable<readonly [name: string, value: string]>): HeaderMap {
  const result = new Map(headers);
  for (const [name, value] of added) result.set(name.toLowerCase(), [name, value]);
  return result;
}

/**
 * Replaces items by parameters: each parameter takes the place of the first item with its name, and the other items with this name
 * are removed. New names are added at the end. If a name is given twice, its last value counts (contract C-3.3).
 */
export function replaceParameters<T extends { readonly name: string }>(
  items: readonly (T | Parameter)[],
  parameters: readonly Parameter[],
): readonly (T | Parameter)[] {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const placed = new Set<string>();
  const newItems = items.flatMap((item) => {
    const parameter = byName.get(item.name);
    if (parameter === undefined) return [item];
    if (placed.has(item.name)) return [];
    placed.add(item.name);
    return [parameter];
  });
  return [...newItems, ...[...byName.values()].filter(({ name }) => !placed.has(name))];
}

/** Replaces items by one parameter, as `replaceParameters` does. */
export function replaceParameter<T extends { readonly name: string }>(
  items: readonly (T | Parameter)[],
  parameter: Parameter,
): readonly (T | Parameter)[] {
  return replaceParameters(items, [parameter]);
}

/** Sets parameters where the request's method carries them: GET in the query, POST and FORM in the body. */
export function withParameters(request: Request, parameters: readonly Parameter[]): Request {
  if (request.body === undefined) {
    return withQueryParameters(request, parameters);
  }
  return { ...request, body: replaceParameters<Parameter>(request.body, parameters) };
}

/** Sets parameters in the query, whatever the request's method. */
export function withQueryParameters(request: Request, parameters: readonly Parameter[]): Request {
  return { ...request, query: replaceParameters<QueryItem>(request.query, parameters) };
}

/** A request as configured, with evaluated expressions, before its address is resolved. */
export interface RequestParts {
  /** In upper or lower case; `GET` if absent. */
  readonly method: string | undefined;
  /** A relative path, an absolute path or a full address, with or without a query (contract C-3.1). */
  readonly endpoint: string;
  readonly params: readonly Parameter[];
  /** Parameters that any method sends in the query. */
  readonly query?: readonly Parameter[];
  readonly headers: readonly (readonly [name: string, value: Value])[];
  /** True to leave out the user and the password in the address. */
  readonly isAnonymous?: boolean | undefined;
  /** Fields that replace those of the style in `api.http`. */
  readonly style?: { readonly [K in keyof QueryStyle]?: QueryStyle[K] | undefined } | undefined;
}

/**
 * Builds a request: resolves the endpoint, places the parameters, and adds the headers for all requests (`api.http.headers`,
 * `config.http.headers`), unless the request replaces them.
 */
export type Build = (parts: RequestParts) => Request;

/** Splits an address into its base and the pieces of its query. The pieces keep the form in which the `URL` class returns them. */
export function splitAddress(address: URL): Pick<Request, "url" | "query"> {
  const pieces = address.search
    .slice(1)
    .split("&")
    .filter((piece) => piece !== "");
  return {
    url: address.origin + address.pathname,
    query: pieces.map((raw) => ({ name: rootName(raw), raw })),
  };
}

/** Returns the name `a` of `a%5B0%5D=x`. */
function rootName(raw: string): string {
  const name = decodeForm(raw.split("=", 1)[0] ?? "");
  const bracket = name.indexOf("[");
  return bracket > 0 ? name.slice(0, bracket) : name;
}

/** Decodes a name or value of a query. Invalid percent-encoding is kept. */
export function decodeForm(text: string): string {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
