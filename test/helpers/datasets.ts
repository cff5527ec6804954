import { type Answer, json } from "./answers.ts";
import type { Handler, Received } from "./api.ts";

/** Returns `count` small records with ids from `first` on: `{"id":1,"name":"record 1"}`. */
export function records(count: number, first = 1): { id: number; name: string }[] {
  return Array.from({ length: count }, (_, index) => ({ id: first + index, name: `record ${first + index}` }));
}

/** Returns the values as the lines that a run should write. */
export function linesOf(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

export interface DatasetOptions {
  readonly limitParam?: string;
  readonly offsetParam?: string;
  /** Page size if the request names none. Default: 10. */
  readonly size?: number;
  /** The greatest page size that the API returns. */
  readonly cap?: number;
  /** Makes the response of a page. Default: `{ items: page }`. */
  readonly wrap?: (page: readonly unknown[], total: number, offset: number) => unknown;
}

/** Creates an API of pages of `values` by limit and offset. It reads them from the query, a JSON body or a form body. */
export function dataset(values: readonly unknown[], options: DatasetOptions = {}): Handler {
  const { limitParam = "limit", offsetParam = "offset", size = 10, cap = Number.POSITIVE_INFINITY } = options;
  const wrap = options.wrap ?? ((page) => ({ items: page }));
  return (request) => {
    const offset = Number(parameter(request, offsetParam) ?? 0);
    const limit = Math.min(Number(parameter(request, limitParam) ?? size), cap);
    return wrap(values.slice(offset, offset + limit), values.length, offset);
  };
}

/** Returns a parameter, read from the query of a GET, or from the body of any other request. */
export function parameter(request: Received, name: string): string | undefined {
  if (request.method === "GET") return request.params.get(name) ?? undefined;
  if (request.headers["content-type"]?.startsWith("application/json")) {
    const value = (JSON.parse(request.body) as Record<string, unknown>)[name];
    return value === undefined ? undefined : String(value);
  }
  return new URLSearchParams(request.body).get(name) ?? undefined;
}

export interface TokenOptions {
  /** Seconds until a token expires. Default: never. */
  readonly lifetime?: number;
  /** True if a new login invalidates earlier tokens. */
  readonly rotate?: boolean;
  /** Returns members to add to the login's response. */
  readonly extra?: (token: string) => Record<string, unknown>;
}

/** A login that issues tokens "token-1", "token-2", ..., and a guard that requires a valid one. */
export interface Tokens {
  /** Answers `{"token": ..., "expires_in": ...}`. */
  readonly login: Handler;
  readonly issued: readonly string[];
  /** Invalidates every token issued so far. */
  revoke(): void;
  alive(token: string | undefined): boolean;
  /**
   * Passes requests with a valid token in `Authorization: Bearer`, `X-ApiToken` or `token` of the query to the handler. Answers
   * all others with 401.
   */
  guard(handler: Handler): Handler;
}

export function tokens(options: TokenOptions = {}): Tokens {
  const issued: string[] = [];
  const deaths = new Map<string, number>();
  const alive = (token: string | undefined): boolean =>
    token !== undefined && (deaths.get(token) ?? 0) > performance.now();
  return {
    issued,
    alive,
    revoke: () => deaths.clear(),
    login: () => {
      if (options.rotate) deaths.clear();
      const token = `token-${issued.length + 1}`;
      issued.push(token);
      deaths.set(token, performance.now() + (options.lifetime ?? Number.POSITIVE_INFINITY) * 1000);
      const expiry = options.lifetime === undefined ? {} : { expires_in: options.lifetime };
      return { token, ...expiry, ...options.extra?.(token) };
    },
    guard: (handler) => (request) => {
      const { authorization, "x-apitoken": header } = request.headers;
      const sent = authorization?.replace(/^Bearer /, "") ?? header ?? request.params.get("token") ?? undefined;
      return alive(sent) ? handler(request) : json({ error: "token is not alive" }, { status: 401 });
    },
  };
}

/** Answers `status` with `Retry-After` and a small JSON body. */
export function tooMany(retryAfter: string, status = 429): Answer {
  return json({ error: "slow down" }, { status, headers: { "retry-after": retryAfter } });
}
