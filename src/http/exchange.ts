import { STATUS_CODES } from "node:http";
import type { Authorized } from "../core/authenticator.ts";
import { SpileError } from "../core/errors.ts";
import type { Emit } from "../core/event.ts";
import { printable } from "../core/printable.ts";
import type { Secrets } from "../core/redact.ts";
import type { Request, WireRequest } from "../core/request.ts";
import type { Agents } from "./agents.ts";
import { readBody } from "./body.ts";
import { type RawResponse, send, type Timeouts } from "./client.ts";
import type { Cookies } from "./cookies.ts";
import { faultOf, TransportFault } from "./fault.ts";
import type { Gate } from "./gate.ts";
import { followRedirect, type Hop, isRedirect, originOf, stripped } from "./origin.ts";
import { serialize } from "./request.ts";
import { retryAfter, wait } from "./retry.ts";
import type { Answer, Exchange, ExchangeOptions } from "./session.ts";
import { discard, excerpt, noBody } from "./small.ts";
import { statusHint } from "./status-hint.ts";

/** What the exchanges of a session share; see `SessionOptions`. Times are in milliseconds. */
export interface ExchangeContext {
  readonly secrets: Secrets;
  readonly emit: Emit;
  readonly debug: boolean;
  readonly agents: Agents;
  readonly cookies: Cookies;
  readonly gate: Gate;
  readonly isTrusted: (origin: string) => boolean;
  readonly timeouts: Timeouts;
  readonly maxRetries: number;
  readonly codes: ReadonlySet<number>;
  readonly retryHeader: string;
  readonly ignoreErrors: ReadonlySet<number>;
  readonly maxWait: number;
  readonly maxResponseBytes: number | undefined;
  readonly backoff: (retry: number) => number;
  /** Origins about which the user has been warned. */
  readonly warned: Set<string>;
  /** Has any response come in this run? */
  answered: boolean;
  /** For logins: cookies are kept, and no redirect leaves the trusted origins. */
  readonly login?: boolean;
}

/** Tries for a host that is unknown or refuses, before the run's first response (spec 8). */
const firstTries = 3;

/** What else is known of a fault: its status, the wait (ms) that an origin asked for, whether no connection came about. */
interface Trouble {
  readonly status?: number;
  readonly asked?: number | undefined;
  readonly origin?: string;
  readonly unreachable?: boolean;
}

/** A wait of so many ms is told without `-v` too: the run seems to stand still. */
const longWait = 30_000;

/** A response with the request that it answers. */
interface Reply {
  readonly response: RawResponse;
  readonly hop: Hop;
  readonly authorized: Authorized | undefined;
}

export function createExchange(request: Request, options: ExchangeOptions, context: ExchangeContext): Exchange {
  const { signal } = options;
  const { secrets } = context;
  const about = { job: options.job, dataType: options.dataType, page: options.page };
  const shown = (text: string): string => printable(secrets.mask(text));
  const whereOf = (wire: WireRequest): string => `${wire.method} ${shown(wire.url)}`;
  const where = (): string => whereOf(serialize(request));
  let requests = 0;
  let retries = 0;
  /** The last answer was a 401, and credentials were renewed for it. */
  let renewed = false;

  const warnOnce = (origin: string): void => {
    if (context.warned.has(origin)) return;
    context.warned.add(origin);
    const text = `${origin} is not a trusted origin: no configured headers, credentials, cookies or secrets are sent there (api.allowedOrigins)`;
    context.emit({ event: "warning", level: "warning", message: text, ...about });
  };

  const first = async (): Promise<{ hop: Hop; authorized: Authorized | undefined }> => {
    const origin = originOf(request.url);
    // Before the credentials, which might die in a long wait.
    await context.gate.pass(origin, signal);
    if (!context.isTrusted(origin)) {
      warnOnce(origin);
      return { hop: { wire: serialize(stripped(request, secrets)), trusted: false }, authorized: undefined };
    }
    const authorized = await options.authenticator?.authorize(request, signal);
    return { hop: { wire: serialize(authorized?.request ?? request), trusted: true }, authorized };
  };

  /** Sends a hop's request: the last touches that depend on its address are put on here. */
  const sendHop = async ({ wire, trusted }: Hop, authorized: Authorized | undefined): Promise<RawResponse> => {
    const withCookies = trusted ? await context.cookies.add(wire) : wire;
    const signed = (trusted ? authorized?.sign?.(withCookies) : undefined) ?? withCookies;
    requests += 1;
    if (context.debug) {
      const { pathname, search } = new URL(signed.url);
      const message = `${signed.method} ${shown(pathname + search)}`;
      const url = shown(signed.url);
      context.emit({ event: "request", level: "debug", message, method: signed.method, url, ...about });
    }
    const response = await send(signed, { agents: context.agents, timeouts: context.timeouts, signal });
    context.answered = true;
    if (context.login && trusted) await context.cookies.keep(response.cookies, signed.url);
    return response;
  };

  /** One attempt, redirects followed. */
  const attempt = async (): Promise<Reply> => {
    let { hop, authorized } = await first();
    for (let count = 1; ; count += 1) {
      let response: RawResponse;
      try {
        response = await sendHop(hop, authorized);
      } catch (error) {
        signal.throwIfAborted();
        throw faultOf(error, whereOf(hop.wire));
      }
      const location = response.header("location");
      if (!isRedirect(response.status, location)) return { response, hop, authorized };
      await discard(response, context.timeouts);
      const at = whereOf(hop.wire);
      const redirect = { status: response.status, location, count };
      const next = followRedirect(hop, redirect, { isTrusted: context.isTrusted, secrets, where: at });
      if (!next.trusted && context.login) {
        const text = `${at}: answered ${response.status}, a redirect of the login to ${originOf(next.wire.url)}, which is not a trusted origin (api.allowedOrigins)`;
        throw new SpileError("refused", text);
      }
      if (!next.trusted) warnOnce(originOf(next.wire.url));
      hop = next;
      await context.gate.pass(originOf(hop.wire.url), signal);
    }
  };

  /** Counts a fault against the budget and waits; throws SpileError (temporary) when that is over. */
  const retry = async (reason: string, { status, asked, origin, unreachable }: Trouble = {}): Promise<void> => {
    const early = unreachable === true && !context.answered;
    const most = early ? Math.min(context.maxRetries, firstTries - 1) : context.maxRetries;
    if (retries >= most) {
      const tried =
        most === 0 ? "retries are off (maxRetries 0)" : `given up after ${most} ${most === 1 ? "retry" : "retries"}`;
      throw new SpileError("temporary", `${where()}: ${reason}; ${tried}`);
    }
    const ms = asked ?? context.backoff(retries + 1);
    if (ms > context.maxWait) {
      const text = `${where()}: ${reason}; the wait before the next try would be ${inSeconds(ms)}, longer than --max-wait of ${inSeconds(context.maxWait)}`;
      throw new SpileError("temporary", text);
    }
    retries += 1;
    if (asked !== undefined && origin !== undefined) context.gate.hold(origin, asked);
    const message = `${where()}: ${reason}; retry ${retries} of ${most} in ${inSeconds(ms)}`;
    const level = ms >= longWait ? "warning" : "info";
    const { method, url } = serialize(request);
    context.emit({ event: "retry", level, message, method, url: shown(url), status, waitMs: ms, ...about });
    await wait(ms, signal);
  };

  const answerOf = ({ response, hop }: Reply, kind: Answer["kind"]): Answer => {
    const { idle } = context.timeouts;
    const options = { idle, maxBytes: context.maxResponseBytes, where: () => whereOf(hop.wire) };
    const body = kind === "empty" ? noBody(discard(response, context.timeouts)) : readBody(response, options);
    const { status, framed } = response;
    const compressed = (response.header("content-encoding") ?? "identity") !== "identity";
    const contentType = response.header("content-type");
    return { status, url: hop.wire.url, contentType, kind, framed, compressed, body };
  };

  /** The answer, or undefined where the request is to be repeated. */
  const judge = async (reply: Reply): Promise<Answer | undefined> => {
    const { response, hop, authorized } = reply;
    const { status } = response;
    if (status === 401 && hop.trusted && !renewed && authorized?.refused?.()) {
      renewed = true;
      await discard(response, context.timeouts);
      return undefined;
    }
    const fine = status >= 200 && status < 300;
    const tolerated = context.ignoreErrors.has(status);
    const answered = `answered ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd();
    // A configured code may be one of success ("202, not ready yet"); with the last retry it is taken as it is.
    if (context.codes.has(status) && (retries < context.maxRetries || !(fine || tolerated))) {
      renewed = false;
      const last = retries >= context.maxRetries;
      const reason = last ? answered + (await bodyOf(response)) : answered;
      void discard(response, context.timeouts);
      const asked = retryAfter(response.header(context.retryHeader), Date.now());
      await retry(reason, { status, asked, origin: originOf(hop.wire.url) });
      return undefined;
    }
    if (fine) {
      renewed = false;
      const empty = status === 204 || status === 205 || (response.length === 0 && response.framed);
      return answerOf(reply, empty ? "empty" : "body");
    }
    if (tolerated) return answerOf(reply, "tolerated");
    const kind = status === 401 || context.login ? "authentication" : "refused";
    throw new SpileError(
      kind,
      `${whereOf(hop.wire)}: ${answered}${statusHint(status, options.page)}${await bodyOf(response)}`,
    );
  };

  const bodyOf = async (response: RawResponse): Promise<string> => {
    const text = shown((await excerpt(response, context.timeouts)).trim());
    signal.throwIfAborted();
    const characters = [...text];
    return text === "" ? "" : `: ${characters.slice(0, 300).join("")}${characters.length > 300 ? "..." : ""}`;
  };

  return {
    get requests() {
      return requests;
    },
    get retries() {
      return retries;
    },
    async open(fault) {
      let broken: TransportFault | undefined = fault;
      for (;;) {
        signal.throwIfAborted();
        if (broken !== undefined) await retry(shown(broken.message), { unreachable: broken.unreachable });
        broken = undefined;
        try {
          const answer = await judge(await attempt());
          if (answer !== undefined) return answer;
        } catch (error) {
          if (!(error instanceof TransportFault)) throw error;
          renewed = false;
          broken = error;
        }
      }
    },
  };
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
