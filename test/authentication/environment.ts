import type { AuthenticationOptions } from "../../src/authentication/environment.ts";
import type { Authenticator } from "../../src/core/requests/authenticator.ts";
import {
  type HeaderMap,
  type Method,
  type QueryItem,
  type Request,
  type SmallResponse,
  splitAddress,
} from "../../src/core/requests/request.ts";
import type { RunEvent } from "../../src/core/runs/event.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import type { Value } from "../../src/core/values/value.ts";
import { evaluate } from "../../src/expression/evaluate.ts";
import { buildRequest, serialize } from "../../src/http/requests/request.ts";

/** Options of an authenticator for a test, clocks that the test moves, and a record of what was sent and reported. */
export interface World {
  readonly environment: AuthenticationOptions;
  /** Login requests. */
  readonly sent: Request[];
  readonly events: RunEvent[];
  readonly secrets: Secrets;
  /** Moves both clocks. */
  pass(milliseconds: number): void;
  /** Moves only the wall clock, as a correction of the system's time does. */
  setClock(milliseconds: number): void;
}

export interface WorldOptions {
  /** Answer to the login: a body, a whole response, or a function. */
  readonly answer?: string | Partial<SmallResponse> | ((request: Request, nth: number) => unknown);
  readonly settings?: Readonly<Record<string, Value>>;
  readonly now?: number;
  readonly extra?: Partial<AuthenticationOptions>;
}

export const start = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

export function world({ answer = "{}", settings = {}, now = start, extra = {} }: WorldOptions = {}): World {
  const sent: Request[] = [];
  const events: RunEvent[] = [];
  const secrets = new Secrets();
  let wall = now;
  let monotonic = 1000;
  const environment: AuthenticationOptions = {
    settings: new Map(Object.entries(settings)),
    evaluate: (value, contexts = {}) =>
      evaluate(value, {
        settings: environment.settings,
        contexts,
        secrets,
        time: { currentStart: 0, previousStart: 0 },
      }),
    build: (parts) => buildRequest(parts, { baseUrl: new URL("http://api.test/") }),
    send: async (request) => {
      sent.push(request);
      const given = typeof answer === "function" ? await answer(request, sent.length) : answer;
      const part = typeof given === "string" ? { body: given } : (given as Partial<SmallResponse>);
      return {
        status: 200,
        url: request.url,
        contentType: "application/json",
        header: () => undefined,
        body: "",
        ...part,
      };
    },
    serialize,
    secrets,
    emit: (event) => events.push(event),
    now: () => wall,
    elapsed: () => monotonic,
    ...extra,
  };
  return {
    environment,
    sent,
    events,
    secrets,
    pass: (milliseconds) => {
      wall += milliseconds;
      monotonic += milliseconds;
    },
    setClock: (milliseconds) => {
      wall = milliseconds;
    },
  };
}

/** Returns a data request. The items of `query` follow those of the address. */
export function request(
  address = "http://api.test/items",
  method: Method = "GET",
  query: readonly QueryItem[] = [],
): Request {
  const { url, query: addressQuery } = splitAddress(new URL(address));
  return {
    method,
    url,
    query: [...addressQuery, ...query],
    body: method === "GET" ? undefined : [],
    headers: new Map(),
  };
}

export const never: AbortSignal = new AbortController().signal;

/** Returns a request with the credentials of the authenticator. */
export async function authorized(authenticator: Authenticator | undefined, of: Request = request()): Promise<Request> {
  if (authenticator === undefined) throw new Error("no authenticator");
  return (await authenticator.authorize(of, never)).request();
}

/** Returns the query as decoded text, for people to compare. */
export function queryText(of: Request): string {
  return decodeURIComponent(new URL(serialize(of).url).search.slice(1));
}

/** Returns all headers except those that every request has. */
export function headersOf({ headers }: { readonly headers: HeaderMap }): Record<string, string> {
  const usual = /^(accept|accept-encoding|user-agent|content-type)$/;
  return Object.fromEntries([...headers].flatMap(([name, entry]) => (usual.test(name) ? [] : [entry])));
}
