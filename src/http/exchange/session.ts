import type { Request, Send } from "../../core/requests/request.ts";
import type { Transport } from "../../core/requests/transport.ts";
import { type Account, noAccount } from "../../core/runs/account.ts";
import type { Emit } from "../../core/runs/event.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import type { LimitHeaders } from "../../knowledge/limits.ts";
import type { Connections } from "../connection/connections.ts";
import { resetText, TransportFault } from "../connection/fault.ts";
import { backoff, jittered } from "../pacing/retry.ts";
import { createCookies } from "../requests/cookies.ts";
import { originOf } from "../requests/origin.ts";
import { type AnswerOptions, answerPolicy } from "./answer-policy.ts";
import { contextWith, type SessionContext } from "./context.ts";
import { type Answer, Exchange, type ExchangeOptions } from "./exchange.ts";
import { createLoginSend, type LoginExchangeOptions, loginExchange } from "./login-send.ts";
import { type PreviewedRequest, type PreviewOptions, preview } from "./preview.ts";

export type { Answer, Exchange, ExchangeOptions, LoginExchangeOptions, PreviewedRequest };
export { resetText, TransportFault };

/** Contains the answer policy of requests that have none of their own, such as logins. */
export interface SessionOptions extends AnswerOptions {
  /** The run's. */
  readonly connections: Connections;
  readonly secrets: Secrets;
  readonly emit: Emit;
  /** Keeps account of requests and waits. */
  readonly account?: Account | undefined;
  /** Emit a `request` event for every request sent. */
  readonly debug?: boolean;
  /** The whole run's: its abort ends every wait and every read at once, with its reason. */
  readonly signal: AbortSignal;
  /** Origins that get headers, cookies, authentication and secrets. */
  readonly trusted: Iterable<string>;
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
  /** Headers in which the API tells its rate limit; by default none are heeded. */
  readonly limitHeaders?: readonly LimitHeaders[] | undefined;
  /** Keep the cookies of all answers of trusted origins, not the login's alone. */
  readonly keepCookies?: boolean | undefined;
  /** Node's `insecureHTTPParser`. */
  readonly lenientParser?: boolean | undefined;
  /** The wait before the n-th retry (from 1), in ms; by default 1, 2, 4, ... 512 s and up to 10 % more. */
  readonly backoff?: (retry: number) => number;
  /** False: no wait before a retry. */
  readonly waits?: boolean | undefined;
  /** Replaces the network. */
  readonly transport?: Transport | undefined;
}

/** The sender of an iteration's requests, which share cookies and trusted origins. */
export interface Session {
  exchange(request: Request, options: ExchangeOptions): Exchange;
  /** For the steps of a login: as `send`, for answers of any size. */
  loginExchange(request: Request, options: LoginExchangeOptions): Exchange;
  /** For logins: keeps cookies, reads up to 1 MiB; refusals are authentication errors. */
  readonly send: Send;
  /** Returns the first request that an exchange would send. Sends nothing itself; with `sendLogin` the authenticator may. */
  preview(request: Request, options: PreviewOptions): Promise<PreviewedRequest>;
  /** Returns a session that shares all but the cookies. */
  apart(): Session;
}

export function createSession(options: SessionOptions): Session {
  const { secrets, timeouts = {}, waits = true } = options;
  const { agents, gate } = options.connections;
  const trusted = new Set([...options.trusted].map(originOf));
  const seconds = (value: number | undefined, byDefault: number): number => (value ?? byDefault) * 1000;
  const context: SessionContext = {
    secrets,
    emit: options.emit,
    account: options.account ?? noAccount,
    debug: options.debug ?? false,
    agents,
    cookies: createCookies(secrets),
    gate,
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
    policy: answerPolicy(options),
    maxWait: options.maxWait ?? 900_000,
    maxResponseBytes: options.maxResponseBytes,
    backoff: options.backoff ?? ((number) => jittered(backoff(number))),
    transport: options.transport,
    warned: new Set(),
    answered: false,
  };
  return sessionOf(context, options.signal);
}

function sessionOf(context: SessionContext, signal: AbortSignal): Session {
  return {
    exchange: (request, options) => new Exchange(request, options, context),
    loginExchange: (request, options) => loginExchange(request, options, context),
    send: createLoginSend(context, signal),
    preview: (request, options) => preview(request, options, context),
    apart: () => sessionOf(contextWith(context, { cookies: createCookies(context.secrets) }), signal),
  };
}
