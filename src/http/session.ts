import type { Authenticator } from "../core/authenticator.ts";
import type { Emit } from "../core/event.ts";
import type { Secrets } from "../core/redact.ts";
import type { Request, Send } from "../core/request.ts";
import { createAgents } from "./agents.ts";
import { createCookies } from "./cookies.ts";
import { createExchange, type ExchangeContext } from "./exchange.ts";
import { TransportFault } from "./fault.ts";
import { createGate } from "./gate.ts";
import { originOf } from "./origin.ts";
import { type PreviewedRequest, type PreviewOptions, preview } from "./preview.ts";
import { backoff, jittered, retryCodes } from "./retry.ts";
import { createSend } from "./send.ts";

export type { PreviewedRequest };
export { TransportFault };

export interface SessionOptions {
  readonly secrets: Secrets;
  readonly emit: Emit;
  /** Emit a `request` event for every request sent. */
  readonly debug?: boolean;
  /** The whole run's: its abort ends every wait and every read at once, with its reason. */
  readonly signal: AbortSignal;
  /** Origins that get headers, cookies, authentication and secrets (spec 5, "Trusted origins"). */
  readonly trusted: Iterable<string>;
  /** `retryConfig` (spec 8). Default: 10, the codes of spec 8, Retry-After. */
  readonly retry?: {
    readonly maxRetries?: number | undefined;
    readonly codes?: readonly number[] | undefined;
    readonly retryHeader?: string | undefined;
  };
  /** `api.http.ignoreErrors`. */
  readonly ignoreErrors?: readonly number[];
  /** `connectTimeout` 30, `requestTimeout` 300, `idleTimeout` 60, in seconds; 0 is none (spec 8). */
  readonly timeouts?: {
    readonly connect?: number | undefined;
    readonly request?: number | undefined;
    readonly idle?: number | undefined;
  };
  /** `--max-wait` in milliseconds; default 15 minutes. */
  readonly maxWait?: number | undefined;
  /** `--max-response-bytes`, after decoding. */
  readonly maxResponseBytes?: number | undefined;
  /** `--rate`: requests a second to each origin. */
  readonly rateLimit?: number | undefined;
  /** PEM texts: `api.caCertificate` and `api.#clientCertificate`. */
  readonly caCertificate?: string | undefined;
  readonly clientCertificate?: string | undefined;
  /** The wait before the n-th retry (from 1), in ms; by default 1, 2, 4, ... 512 s and up to 10 % more. */
  readonly backoff?: (retry: number) => number;
}

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly authenticator?: Authenticator | undefined;
  /** For events: the job's label, its dataType, the page's number. */
  readonly job?: string | undefined;
  readonly dataType?: string | undefined;
  readonly page?: number | undefined;
}

export interface Answer {
  readonly status: number;
  /** The address that answered, after redirects; not masked. */
  readonly url: string;
  readonly contentType: string | undefined;
  /** `empty`: 204, 205 or `Content-Length: 0`. `tolerated`: an error status in ignoreErrors. */
  readonly kind: "body" | "empty" | "tolerated";
  /**
   * The message carries its own end. False: it ends with the connection, so a document that stops early is a
   * TransportFault, which the reader of the document has to make.
   */
  readonly framed: boolean;
  /** The body is compressed: only its end shows whether what has been decoded is right. */
  readonly compressed: boolean;
  /** UTF-8, to be read once; throws TransportFault where the message is not whole (see `readBody`). */
  readonly body: AsyncIterable<Buffer>;
}

/** One page's requests under one retry budget (spec 8). */
export interface Exchange {
  /** Requests sent, redirects and retries included, and retries so far. */
  readonly requests: number;
  readonly retries: number;
  /**
   * Sends the request until it is answered. With `fault`, the last answer's body broke: that is counted and waited for
   * like any other fault. Rejects with SpileError (temporary, refused, authentication, data) or the signal's reason.
   */
  open(fault?: TransportFault): Promise<Answer>;
}

/** Everything requests of one run share: connections, cookies of the login, limits an origin asked for. */
export interface Session {
  exchange(request: Request, options: ExchangeOptions): Exchange;
  /** For logins: keeps cookies, reads up to 1 MiB; refusals are authentication errors (spec 5). */
  readonly send: Send;
  /** What an exchange would send first. Sends nothing itself; with `sendLogin` the authenticator may. */
  preview(request: Request, options: PreviewOptions): Promise<PreviewedRequest>;
  close(): void;
}

/** Throws SpileError (configuration) for certificates that cannot be read. */
export function createSession(options: SessionOptions): Session {
  const { secrets, timeouts = {}, retry = {} } = options;
  const certificates = { authority: options.caCertificate, client: options.clientCertificate };
  const agents = createAgents(certificates, secrets);
  const trusted = new Set([...options.trusted].map(originOf));
  const seconds = (value: number | undefined, byDefault: number): number => (value ?? byDefault) * 1000;
  const context: ExchangeContext = {
    secrets,
    emit: options.emit,
    debug: options.debug ?? false,
    agents,
    cookies: createCookies(secrets),
    gate: createGate(options.rateLimit),
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
    maxWait: options.maxWait ?? 900_000,
    maxResponseBytes: options.maxResponseBytes,
    backoff: options.backoff ?? ((number) => jittered(backoff(number))),
    warned: new Set(),
    answered: false,
  };
  return {
    exchange: (request, exchangeOptions) => createExchange(request, exchangeOptions, context),
    send: createSend(context, options.signal),
    preview: (request, previewOptions) => preview(request, previewOptions, context),
    close: () => agents.close(),
  };
}
