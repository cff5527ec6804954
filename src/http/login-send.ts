import { SpileError } from "../core/errors.ts";
import type { Request, Send } from "../core/request.ts";
import type { SessionContext } from "./context.ts";
import { Exchange, type ExchangeOptions } from "./exchange.ts";
import { originOf } from "./origin.ts";
import { wholeAnswer } from "./whole-answer.ts";

/** The most that is read of a login's response. */
const mebibyte = 1_048_576;

export interface LoginExchangeOptions extends ExchangeOptions {
  /** Statuses besides 2xx that are no failure. */
  readonly accept?: readonly number[] | undefined;
  /** The address was given by an answer: its origin is trusted only where others are. */
  readonly given?: boolean;
}

/**
 * A login's request: to its own origin and the trusted ones alone, keeping cookies, with no error status ignored but those
 * that the login accepts. Refusals are authentication errors.
 */
export function loginExchange(
  request: Request,
  { accept = [], given = false, ...options }: LoginExchangeOptions,
  context: SessionContext,
): Exchange {
  const own = given ? undefined : originOf(request.url);
  const login: SessionContext = {
    ...context,
    login: true,
    rules: [],
    ignoreErrors: new Set(accept),
    isTrusted: (origin) => origin === own || context.isTrusted(origin),
    maxResponseBytes: undefined,
    // The run's first response may be the login's; the flag itself is the session's.
    get answered() {
      return context.answered;
    },
    set answered(value) {
      context.answered = value;
    },
  };
  return new Exchange(request, options, login);
}

/** Sends login requests. Rejects with SpileError: authentication where one is refused, temporary where retries are used up. */
export function createLoginSend(context: SessionContext, signal: AbortSignal): Send {
  return (request, accept) =>
    wholeAnswer(loginExchange(request, { signal, accept }, context), {
      most: mebibyte,
      tooLong: () => new SpileError("authentication", "the login's response is longer than 1 MiB"),
    });
}
