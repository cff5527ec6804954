import { SpileError } from "../../core/errors.ts";
import type { LoginSendOptions, Request, Send } from "../../core/requests/request.ts";
import { originOf } from "../requests/origin.ts";
import { contextWith, type SessionContext } from "./context.ts";
import { Exchange, type ExchangeOptions } from "./exchange.ts";
import { wholeAnswer } from "./whole-answer.ts";

/** The most that is read of a login's response. */
const mebibyte = 1_048_576;

export interface LoginExchangeOptions extends ExchangeOptions, LoginSendOptions {}

/**
 * A login's request: to its own origin and the trusted ones alone, keeping cookies, with no error status ignored but those
 * that the login accepts. Refusals are authentication errors. Throws SpileError `refused` where an answer has given an address
 * on an origin that is not trusted: a login is not taken there.
 */
export function loginExchange(
  request: Request,
  { accept = [], given = false, ...options }: LoginExchangeOptions,
  context: SessionContext,
): Exchange {
  const origin = originOf(request.url);
  const ownOrigin = given ? undefined : origin;
  if (given && !context.isTrusted(origin)) {
    const text = `an answer leads the login to ${origin}, which is not a trusted origin (api.allowedOrigins)`;
    throw new SpileError("refused", text);
  }
  const login = contextWith(context, {
    login: true,
    policy: { ...context.policy, rules: [], ignoreErrors: new Set(accept) },
    isTrusted: (one) => one === ownOrigin || context.isTrusted(one),
    maxResponseBytes: undefined,
  });
  return new Exchange(request, options, login);
}

/** Sends login requests. Rejects with SpileError: authentication where one is refused, temporary where retries are used up. */
export function createLoginSend(context: SessionContext, signal: AbortSignal): Send {
  return async (request, options) =>
    wholeAnswer(loginExchange(request, { signal, ...options }, context), {
      most: mebibyte,
      tooLong: () => new SpileError("authentication", "the login's response is longer than 1 MiB"),
    });
}
