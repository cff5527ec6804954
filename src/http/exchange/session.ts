import type { Cancellation } from "../../core/cancellation.ts";
import { SpileError } from "../../core/errors.ts";
import type { Authenticator } from "../../core/requests/authenticator.ts";
import type { LoginSendOptions, Request, Send, WireRequest } from "../../core/requests/request.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import { resetText, TransportFault } from "../connection/fault.ts";
import { type Cookies, createCookies } from "../requests/cookies.ts";
import { originOf, requestForUntrusted, securedRequest } from "../requests/origin.ts";
import { serialize } from "../requests/request.ts";
import { contextOf, contextWith, type SessionContext, type SessionOptions } from "./context.ts";
import { type Answer, Exchange, type ExchangeOptions } from "./exchange.ts";
import { wholeAnswer } from "./whole-answer.ts";

export type { Answer, Exchange, ExchangeOptions, LoginExchangeOptions, PreviewedRequest, SessionOptions };
export { resetText, TransportFault };

/** Sends the requests of an iteration, which share cookies and trusted origins. */
export interface Session {
  exchange(request: Request, options: ExchangeOptions): Exchange;
  /** Returns an exchange for a step of a login. It works as `send` does, but for answers of any size. */
  loginExchange(request: Request, options: LoginExchangeOptions): Exchange;
  /** Sends a login: keeps cookies, reads up to 1 MiB, and rejects with an authentication error for a refusal. */
  readonly send: Send;
  /** Returns the first request that an exchange would send. Sends nothing, except a login with `sendLogin`. */
  preview(request: Request, options: PreviewOptions): Promise<PreviewedRequest>;
  /** Returns a session that shares everything but the cookies. */
  apart(): Session;
}

export function createSession(options: SessionOptions): Session {
  return sessionOf(contextOf(options), options.signal);
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

/** Maximum size of a login's response. */
const mebibyte = 1_048_576;

interface LoginExchangeOptions extends ExchangeOptions, LoginSendOptions {}

/**
 * Returns the exchange of a login. It trusts the origin of the login in addition to the trusted ones, keeps cookies, and
 * tolerates only the error statuses that the login accepts. A refusal is an authentication error. Throws SpileError `refused` if
 * an answer gave the address and its origin is not trusted: credentials are not sent there.
 */
function loginExchange(
  request: Request,
  { accept = [], isFromAnswer = false, ...options }: LoginExchangeOptions,
  context: SessionContext,
): Exchange {
  const origin = originOf(request.url);
  const ownOrigin = isFromAnswer ? undefined : origin;
  if (isFromAnswer && !context.isTrusted(origin)) {
    const text = `an answer leads the login to ${origin}, which is not a trusted origin (api.allowedOrigins)`;
    throw new SpileError("refused", text);
  }
  const codes = new Set([...context.policy.codes].filter((code) => !accept.includes(code)));
  const login = contextWith(context, {
    login: true,
    policy: { ...context.policy, rules: [], ignoreErrors: new Set(accept), codes },
    isTrusted: (one) => one === ownOrigin || context.isTrusted(one),
    maxResponseBytes: undefined,
  });
  return new Exchange(request, options, login);
}

/** Creates `send`, which rejects with SpileError: `authentication` for a refusal, `temporary` if the retries are used up. */
function createLoginSend(context: SessionContext, signal: AbortSignal): Send {
  return async (request, options) =>
    wholeAnswer(loginExchange(request, { signal, ...options }, context), {
      most: mebibyte,
      tooLong: () => new SpileError("authentication", "the login's response is longer than 1 MiB"),
    });
}

/** A request as it would be sent, and the login request before it. */
interface PreviewedRequest {
  /** The login request, if the request needs a login that was not sent. */
  readonly login: WireRequest | undefined;
  readonly request: WireRequest;
}

interface PreviewOptions {
  readonly signal: Cancellation;
  readonly authenticator: Authenticator | undefined;
  /** True to really log in. */
  readonly sendLogin: boolean;
}

/** Returns a request as it is sent first: with credentials and signatures, or without them if its origin is not trusted. */
async function preview(
  firstRequest: Request,
  { signal, authenticator, sendLogin }: PreviewOptions,
  context: { readonly secrets: Secrets; readonly cookies: Cookies; readonly isTrusted: (origin: string) => boolean },
): Promise<PreviewedRequest> {
  const request = securedRequest(firstRequest, context.isTrusted);
  if (!context.isTrusted(originOf(request.url))) {
    return { login: undefined, request: serialize(requestForUntrusted(request, context.secrets)) };
  }
  const foreseen = sendLogin ? undefined : authenticator?.preview?.(request);
  const authorized = foreseen ?? (await authenticator?.authorize(request, signal));
  const wire = await context.cookies.add(serialize(authorized?.request() ?? request));
  return {
    login: foreseen && serialize(foreseen.login),
    request: authorized?.sign?.(wire) ?? wire,
  };
}
