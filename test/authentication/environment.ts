import { createHash } from "node:crypto";
import type { AuthenticationEnvironment } from "../../src/authentication/environment.ts";
import type { Authenticator } from "../../src/core/authenticator.ts";
import type { RunEvent } from "../../src/core/event.ts";
import { parsePath, valueAt } from "../../src/core/path.ts";
import { Secrets } from "../../src/core/redact.ts";
import {
  type Build,
  type HeaderMap,
  type Method,
  type QueryItem,
  type Request,
  type SmallResponse,
  splitAddress,
  type WireRequest,
  withHeaders,
} from "../../src/core/request.ts";
import { isObject, scalarText, type Value, valueText } from "../../src/core/value.ts";

/** A world for authenticators: answers to logins, two clocks that move by hand, and all that was sent and told. */
export interface World {
  readonly environment: AuthenticationEnvironment;
  readonly sent: Request[];
  readonly events: RunEvent[];
  readonly secrets: Secrets;
  /** Moves both clocks. */
  pass(milliseconds: number): void;
  /** Moves the wall clock alone, as a correction of the system's time does. */
  setClock(milliseconds: number): void;
}

export interface WorldOptions {
  /** The login's answer: a body, a whole response, or what to do. */
  readonly answer?: string | Partial<SmallResponse> | ((request: Request, nth: number) => unknown);
  readonly settings?: Readonly<Record<string, Value>>;
  readonly now?: number;
  readonly extra?: Partial<AuthenticationEnvironment>;
}

export const start = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

export function world({ answer = "{}", settings = {}, now = start, extra = {} }: WorldOptions = {}): World {
  const sent: Request[] = [];
  const events: RunEvent[] = [];
  const secrets = new Secrets();
  let wall = now;
  let monotonic = 1000;
  const environment: AuthenticationEnvironment = {
    settings: new Map(Object.entries(settings)),
    evaluate: (value, contexts = {}) => evaluate(value, { ...contexts, attr: settings }),
    build,
    send: async (request) => {
      sent.push(request);
      const given = typeof answer === "function" ? await answer(request, sent.length) : answer;
      const part = typeof given === "string" ? { body: given } : (given as Partial<SmallResponse>);
      return { status: 200, url: request.url, contentType: "application/json", body: "", ...part };
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

/** A data request; `query` as in an address. */
export function request(
  address = "http://api.test/items",
  method: Method = "GET",
  query: readonly QueryItem[] = [],
): Request {
  const { url, query: own } = splitAddress(new URL(address));
  return { method, url, query: [...own, ...query], body: method === "GET" ? undefined : [], headers: new Map() };
}

export const never: AbortSignal = new AbortController().signal;

/** The request as the authenticator would have it sent. */
export async function authorized(authenticator: Authenticator | undefined, of: Request = request()): Promise<Request> {
  if (authenticator === undefined) throw new Error("no authenticator");
  return (await authenticator.authorize(of, never)).request;
}

/** The query as text, decoded, for people to compare. */
export function queryText(of: Request): string {
  return decodeURIComponent(new URL(serialize(of).url).search.slice(1));
}

export function headersOf({ headers }: { readonly headers: HeaderMap }): Record<string, string> {
  return Object.fromEntries([...headers.values()]);
}

/** What `build` of the http room does, as far as logins need it. */
const build: Build = ({ method = "GET", endpoint, params, headers }) => {
  const base = request(new URL(endpoint, "http://api.test/").href, method.toUpperCase() as Method);
  const placed = base.body === undefined ? { ...base, query: [...base.query, ...params] } : { ...base, body: params };
  return {
    ...placed,
    headers: withHeaders(
      new Map(),
      headers.map(([name, value]) => [name, scalarText(value) ?? ""] as const),
    ),
  };
};

export function serialize(of: Request): WireRequest {
  const pieces = of.query.flatMap((item) => ("raw" in item ? [item.raw] : pairs(item.name, item.value)));
  const body = of.body?.flatMap(({ name, value }) => pairs(name, value)).join("&");
  return {
    method: of.method === "GET" ? "GET" : "POST",
    url: of.url + (pieces.length > 0 ? `?${pieces.join("&")}` : ""),
    headers:
      of.method === "FORM"
        ? withHeaders(of.headers, [["Content-Type", "application/x-www-form-urlencoded"]])
        : of.headers,
    body: of.method === "FORM" ? body : body && valueText(of.body?.map(({ value }) => value) ?? []),
  };
}

function pairs(name: string, value: Value): string[] {
  if (isObject(value) || Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, item]) => pairs(`${name}[${key}]`, item as Value));
  }
  return value === null ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(scalarText(value) ?? "")}`];
}

/** The few expressions that these tests use. */
function evaluate(value: Value, contexts: Readonly<Record<string, Value>>): Value {
  if (Array.isArray(value)) return value.map((item: Value) => evaluate(item, contexts));
  if (!isObject(value)) return value;
  const [key = "", ...more] = Object.keys(value);
  const path = value[key];
  if (typeof value.function === "string") {
    const args = ((value.args ?? []) as readonly Value[]).map((argument) => evaluate(argument, contexts));
    return call(value.function, args);
  }
  if (more.length === 0 && typeof path === "string" && key in contexts) {
    const document = contexts[key] ?? null;
    return key === "attr" ? (valueAt(document, [path]) ?? null) : (valueAt(document, parsePath(path)) ?? null);
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, evaluate(item, contexts)]));
}

function call(name: string, args: readonly Value[]): Value {
  const joined = args
    .flat()
    .map((argument) => scalarText(argument as Value) ?? "")
    .join("");
  switch (name) {
    case "concat":
    case "implode":
      return joined;
    case "ifempty":
      return args[0] || (args[1] ?? null);
    case "sha1":
      return createHash("sha1").update(joined).digest("hex");
    case "base64_encode":
      return Buffer.from(joined).toString("base64");
    default:
      throw new Error(`the test knows no function ${name}`);
  }
}
