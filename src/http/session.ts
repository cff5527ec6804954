import type { Emit } from "../core/event.ts";
import type { Secrets } from "../core/redact.ts";
import type { Request, Send } from "../core/request.ts";
import type { Transport } from "../core/transport.ts";
import { createAgents } from "./agents.ts";
import type { SessionContext } from "./context.ts";
import { createCookies } from "./cookies.ts";
import { type Answer, Exchange, type ExchangeOptions } from "./exchange.ts";
import { TransportFault } from "./fault.ts";
import { Gate } from "./gate.ts";
import { createLoginSend, type LoginExchangeOptions, loginExchange } from "./login-send.ts";
import { originOf } from "./origin.ts";
import { type PreviewedRequest, type PreviewOptions, preview } from "./preview.ts";
import type { Rate } from "./rates.ts";
import type { ResponseRule } from "./response-rules.ts";
import { backoff, jittered, retryCodes } from "./retry.ts";
import type { LimitHeaders } from "./told-limit.ts";

export type { Answer, Exchange, ExchangeOptions, LoginExchangeOptions, PreviewedRequest };
export { TransportFault };

export interface SessionOptions {
  readonly secrets: Secrets;
  readonly emit: Emit;
  /** Emit a `request` event for every request sent. */
  readonly debug?: boolean;
  /** The whole run's: its abort ends every wait and every read at once, with its reason. */
  readonly signal: AbortSignal;
  /** Origins that get headers, cookies, authentication and secrets. */
  readonly trusted: Iterable<string>;
  /** `retryConfig`. Default: 10, `retryCodes`, Retry-After. */
  readonly retry?: {
    readonly maxRetries?: number | undefined;
    readonly codes?: readonly number[] | undefined;
    readonly retryHeader?: string | undefined;
  };
  /** `api.http.ignoreErrors`. */
  readonly ignoreErrors?: readonly number[];
  /** `api.http.responses`. */
  readonly rules?: readonly ResponseRule[];
  /** `connectTimeout` 30, `requestTimeout` 300, `idleTimeout` 60, in seconds; 0 is none. */
  readonly timeouts?: {
    readonly connect?: number | undefined;
    readonly request?: number | undefined;
    readonly idle?: number | undefined;
  };
  /** `--max-wait` in milliseconds; default 15 minutes. */
  readonly maxWait?: number | undefined;
  /** `--max-response-bytes`, after decoding. */
  readonly maxResponseBytes?: number | undefined;
  /** How many requests each origin may get; all of them hold. */
  readonly rates?: readonly Rate[];
  /** Headers in which the API tells its rate limit; by default none are heeded. */
  readonly limitHeaders?: readonly LimitHeaders[] | undefined;
  /** Keep the cookies of all answers of trusted origins, not the login's alone. */
  readonly keepCookies?: boolean | undefined;
  /** Node's `insecureHTTPParser`. */
  readonly lenientParser?: boolean | undefined;
  /** PEM texts: `api.caCertificate` and `api.#clientCertificate`. */
  readonly caCertificate?: string | undefined;
  readonly clientCertificate?: string | undefined;
  /** Where proxies are looked up; `process.env` where absent. */
  readonly variables?: NodeJS.ProcessEnv | undefined;
  /** The wait before the n-th retry (from 1), in ms; by default 1, 2, 4, ... 512 s and up to 10 % more. */
  readonly backoff?: (retry: number) => number;
  /** False: no wait before a retry, for a rate or because a server asked for it. */
  readonly waits?: boolean | undefined;
  /** Stands between the session and the network. */
  readonly transport?: Transport | undefined;
}

/** Everything requests of one run share: connections, cookies of the login, limits an origin asked for. */
export interface Session {
  exchange(request: Request, options: ExchangeOptions): Exchange;
  /** For the steps of a login: as `send`, for answers of any size. */
  loginExchange(request: Request, options: LoginExchangeOptions): Exchange;
  /** For logins: keeps cookies, reads up to 1 MiB; refusals are authentication errors. */
  readonly send: Send;
  /** What an exchange would send first. Sends nothing itself; with `sendLogin` the authenticator may. */
  preview(request: Request, options: PreviewOptions): Promise<PreviewedRequest>;
  close(): void;
}

/** Throws SpileError (configuration) for certificates that cannot be read. */
export function createSession(options: SessionOptions): Session {
  const { secrets, timeouts = {}, retry = {}, waits = true } = options;
  const certificates = { authority: options.caCertificate, client: options.clientCertificate };
  const agents = createAgents(certificates, secrets, options.variables);
  const trusted = new Set([...options.trusted].map(originOf));
  const seconds = (value: number | undefined, byDefault: number): number => (value ?? byDefault) * 1000;
  const context: SessionContext = {
    secrets,
    emit: options.emit,
    debug: options.debug ?? false,
    agents,
    cookies: createCookies(secrets),
    gate: new Gate(waits ? (options.rates ?? []) : [], waits),
    waits,
    limitHeaders: options.limitHeaders,
    keepCookies: options.keepCookies ?? false,
    lenientParser: options.lenientParser ?? false,
    isTrusted: (origin) => trusted.has(origin),
    timeouts: {
      connect: seconds(timeouts.connect, 30),
      request: seconds(timeouts.request, 300),
      idle: seconds(timeouts.idle, 60),
    },
    maxRetries: retry.maxRetries ?? 10,
    codes: new Set(retry.codes ?? retryCodes),
    retryHeader: retry.retryHeader ?? "Retry-After",
    ignoreErrors: new Set(options.ignoreErrors),
    rules: options.rules ?? [],
    maxWait: options.maxWait ?? 900_000,
    maxResponseBytes: options.maxResponseBytes,
    backoff: options.backoff ?? ((number) => jittered(backoff(number))),
    transport: options.transport,
    warned: new Set(),
    answered: false,
  };
  return {
    exchange: (request, exchangeOptions) => new Exchange(request, exchangeOptions, context),
    loginExchange: (request, exchangeOptions) => loginExchange(request, exchangeOptions, context),
    send: createLoginSend(context, options.signal),
    preview: (request, previewOptions) => preview(request, previewOptions, context),
    close: () => agents.close(),
  };
}
