import type { Request, Send } from "../../core/requests/request.ts";
import { resetText, TransportFault } from "../connection/fault.ts";
import { createCookies } from "../requests/cookies.ts";
import { contextOf, contextWith, type SessionContext, type SessionOptions } from "./context.ts";
import { type Answer, Exchange, type ExchangeOptions } from "./exchange.ts";
import { createLoginSend, type LoginExchangeOptions, loginExchange } from "./login-send.ts";
import { type PreviewedRequest, type PreviewOptions, preview } from "./preview.ts";

export type { Answer, Exchange, ExchangeOptions, LoginExchangeOptions, PreviewedRequest, SessionOptions };
export { resetText, TransportFault };

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
