import { SpileError } from "../../core/errors.ts";
import {
  type HeaderMap,
  type Method,
  type Parameter,
  phpStyle,
  type QueryItem,
  type QueryStyle,
  type Request,
  type RequestParts,
  replaceParameters,
  splitAddress,
  type WireRequest,
  withHeaders,
} from "../../core/requests/request.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import { withoutUser } from "../../core/secrets/without-user.ts";
import { valueText } from "../../core/values/value.ts";
import { defaultHeaders, headerMap } from "./headers.ts";
import { lastOfEach, queryText } from "./query.ts";

/** A parsed `baseUrl`. */
export interface BaseUrl {
  /**
   * Ends with a slash, and has no query or fragment. User and password stay in it, because relative endpoints inherit them (RFC
   * 3986).
   */
  readonly url: URL;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
  readonly warnings: readonly string[];
}

/** Reads `api.baseUrl`. Throws SpileError (configuration). */
export function parseBaseUrl(text: string): BaseUrl {
  const url = parseAddress(text, undefined, "baseUrl");
  const warnings: string[] = [];
  if (url.search !== "")
    warnings.push(
      "the query of baseUrl is not sent; for parameters of every request, use api.http.defaultOptions.params",
    );
  url.search = "";
  url.hash = "";
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return { url, credentials: credentialsOf(url), warnings };
}

export interface BuildOptions {
  /** Result of `parseBaseUrl`. */
  readonly baseUrl: URL;
  /** Headers for all requests. Headers of the request replace them. */
  readonly headers?: HeaderMap;
  /** Style of queries and forms, unless the request has its own. `phpStyle` if absent. */
  readonly style?: QueryStyle;
  /** Receives the passwords in endpoints. */
  readonly secrets?: Secrets;
}

/**
 * Builds a request: resolves the endpoint, puts parameters where the method carries them, and merges the headers. Throws SpileError
 * (configuration) with the endpoint, method or header.
 */
export function buildRequest(parts: RequestParts, options: BuildOptions): Request {
  const method = methodOf(parts.method);
  const address = parseAddress(parts.endpoint, options.baseUrl, "endpoint");
  const { url, query } = splitAddress(address);
  const body = method === "GET" ? undefined : lastOfEach(parts.params);
  const credentials = parts.isAnonymous === true ? undefined : credentialsOf(address);
  const headers = [
    ...defaultHeaders.values(),
    ...(credentials === undefined ? [] : [basic(credentials, options.secrets)]),
    ...(options.headers?.values() ?? []),
    ...headerMap(parts.headers).values(),
    ...contentTypes[method],
  ];
  return {
    method,
    url,
    query: replaceParameters<QueryItem>(
      body === undefined ? replaceParameters<QueryItem>(query, parts.params) : query,
      parts.query ?? [],
    ),
    body,
    headers: withHeaders(new Map(), headers),
    style: styleOf(parts, options),
  };
}

/** Returns a request in the form in which it is sent. */
export function serialize(request: Request): WireRequest {
  const query = queryText(request.query, request.style);
  return {
    method: request.method === "GET" ? "GET" : "POST",
    url: query === "" ? request.url : `${request.url}?${query}`,
    headers: request.headers,
    body: request.body === undefined ? undefined : bodyText(request.method, request.body, request.style),
  };
}

function styleOf({ style: ownStyle }: RequestParts, { style = phpStyle }: BuildOptions): QueryStyle {
  return { lists: ownStyle?.lists ?? style.lists, booleans: ownStyle?.booleans ?? style.booleans };
}

const contentTypes: Readonly<Record<Method, readonly (readonly [string, string])[]>> = {
  GET: [],
  POST: [["Content-Type", "application/json"]],
  FORM: [["Content-Type", "application/x-www-form-urlencoded"]],
};

/** Returns the text of a body. It does not collect the members in an object, which would reorder names such as "10" and "2". */
function bodyText(method: Method, parameters: readonly Parameter[], style: QueryStyle | undefined): string {
  if (method === "FORM") return queryText(parameters, style);
  return `{${parameters.map(({ name, value }) => `${JSON.stringify(name)}:${valueText(value)}`).join(",")}}`;
}

function methodOf(text: string | undefined): Method {
  const method = (text ?? "GET").toUpperCase();
  if (method === "GET" || method === "POST" || method === "FORM") return method;
  throw new SpileError("configuration", `method ${JSON.stringify(text)}: GET, POST and FORM are allowed`);
}

function parseAddress(text: string, base: URL | undefined, field: string): URL {
  const url = parseUrl(text, base);
  if (url !== undefined && url.port !== "0" && (url.protocol === "http:" || url.protocol === "https:")) return url;
  const publicText = JSON.stringify(withoutUser(text));
  if (url === undefined) {
    const right = base === undefined ? "https://api.example.com/v1/" : "a path, or an address with http:// or https://";
    throw new SpileError("configuration", `${field} ${publicText} is not an address; it must be ${right}`);
  }
  if (url.port === "0") throw new SpileError("configuration", `${field} ${publicText}: there is no port 0`);
  const hint = base === undefined || text.includes("//") ? "" : `; a path with a colon is written "./${text}"`;
  throw new SpileError(
    "configuration",
    `${field} ${publicText}: only http and https are supported, not ${url.protocol}${hint}`,
  );
}

function parseUrl(text: string, base: URL | undefined): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

function credentialsOf(url: URL): BaseUrl["credentials"] {
  if (url.username === "" && url.password === "") return undefined;
  return { user: percentDecode(url.username), password: percentDecode(url.password) };
}

/** Decodes percent-encoding. A text with an invalid sequence stays unchanged as a whole: a password may contain a bare "%". */
function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function basic(credentials: NonNullable<BaseUrl["credentials"]>, secrets: Secrets | undefined): [string, string] {
  const token = Buffer.from(`${credentials.user}:${credentials.password}`).toString("base64");
  secrets?.add(credentials.password);
  secrets?.add(token);
  return ["Authorization", `Basic ${token}`];
}
