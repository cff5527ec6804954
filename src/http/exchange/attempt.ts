import type { Cancellation } from "../../core/cancellation.ts";
import { SpileError } from "../../core/errors.ts";
import type { Authenticator, Authorized } from "../../core/requests/authenticator.ts";
import type { Request, WireRequest } from "../../core/requests/request.ts";
import type { RequestClock } from "../../core/runs/account.ts";
import { credentialsInAddress } from "../../knowledge/credentials.ts";
import { discard } from "../body/unread-body.ts";
import { sendThrough } from "../body/whole-response.ts";
import { type RawResponse, send } from "../connection/client.ts";
import { faultOf } from "../connection/fault.ts";
import type { OriginWait, PassOptions } from "../pacing/gate.ts";
import type { PartRates } from "../pacing/rates.ts";
import type { Regulator } from "../pacing/regulator.ts";
import { inSeconds } from "../pacing/retry.ts";
import { renewal, usedUpLimit } from "../pacing/used-up-limit.ts";
import {
  followRedirect,
  type Hop,
  hasPortZero,
  isRedirect,
  originOf,
  requestForUntrusted,
} from "../requests/origin.ts";
import { serialize } from "../requests/request.ts";
import type { AnswerPolicy } from "./answer-policy.ts";
import type { SessionContext } from "./context.ts";
import type { ExchangeLog } from "./exchange-log.ts";

/** A response with the request that it answers. */
export interface Reply {
  readonly response: RawResponse;
  readonly hop: Hop;
  readonly authorized: Authorized | undefined;
  /** Time (ms of `performance.now`) at which the request began. */
  readonly began: number;
  readonly clock: RequestClock;
}

export interface AttemptOptions {
  readonly signal: Cancellation;
  readonly authenticator?: Authenticator | undefined;
  /**
   * True for the download of a file at an address that an answer gave. On an untrusted origin it gets no credentials. spile warns
   * about that only if parameters were left out, too.
   */
  readonly download?: boolean | undefined;
  /** Observes how requests end, and may delay them. */
  readonly regulator?: Regulator | undefined;
  /** Rates that apply in addition to those of the run. */
  readonly rates?: PartRates | undefined;
  /** Policy for the answers. It replaces the session's policy. */
  readonly policy?: AnswerPolicy | undefined;
}

/** Makes attempts at one request: authorises it, sends it and follows redirects. */
export class Attempts {
  readonly #context: SessionContext;
  readonly #log: ExchangeLog;
  readonly #authenticator: Authenticator | undefined;
  readonly #signal: Cancellation;
  readonly #regulator: Regulator | undefined;
  readonly #policy: AnswerPolicy;
  readonly #rates: PartRates | undefined;
  readonly #download: boolean;
  #sent = 0;

  constructor(context: SessionContext, log: ExchangeLog, options: AttemptOptions) {
    const { authenticator, signal, regulator, download = false, policy = context.policy, rates } = options;
    this.#context = context;
    this.#log = log;
    this.#authenticator = authenticator;
    this.#signal = signal;
    this.#regulator = regulator;
    this.#download = download;
    this.#policy = policy;
    this.#rates = rates;
  }

  /** Number of requests sent so far, including redirects. */
  get sent(): number {
    return this.#sent;
  }

  /** Makes one attempt, and follows redirects. Rejects with TransportFault, SpileError or the signal's reason. */
  async make(request: Request): Promise<Reply> {
    let { hop, authorized } = await this.#begin(request);
    for (let count = 1; ; count += 1) {
      const began = performance.now();
      const clock = this.#context.account.sent(this.#log.dataset);
      const response = await this.#send(hop, authorized).finally(() => clock.answered());
      const location = response.header("location");
      if (!isRedirect(response.status, location)) return { response, hop, authorized, began, clock };
      await discard(response, this.#context.timeouts);
      hop = this.#follow(hop, { status: response.status, location, count });
      await this.#pass(hop.wire.url, () => hop.wire);
    }
  }

  async #begin(request: Request): Promise<{ hop: Hop; authorized: Authorized | undefined }> {
    const { isTrusted, secrets } = this.#context;
    const origin = originOf(request.url);
    if (hasPortZero(origin))
      throw new SpileError("refused", `${this.#log.nameOf(serialize(request))}: there is no port 0`);
    if (!isTrusted(origin)) {
      await this.#pass(request.url, () => serialize(request));
      const strippedRequest = requestForUntrusted(request, secrets);
      if (!this.#download || lacksParameters(strippedRequest, request)) this.#log.untrusted(origin);
      return { hop: { wire: serialize(strippedRequest), trusted: false }, authorized: undefined };
    }
    const authorized = await this.#authorize(request);
    return { hop: { wire: serialize(authorized?.request() ?? request), trusted: true }, authorized };
  }

  /** Authorises a request, and then waits for its turn. A login during the authorisation waits for its own turn. */
  async #authorize(request: Request): Promise<Authorized | undefined> {
    const wire = (): WireRequest => serialize(request);
    for (let isFirst = this.#context.login; ; isFirst = true) {
      const authorized = await this.#authenticator?.authorize(request, this.#signal);
      // If the credentials expire during the wait, the request is authorised again and then goes first. Even so, credentials may be
      // valid for less time than a wait takes. So the request that went first and sent the login begins in any case.
      const isReady = isFirst && authorized?.isNew === true ? undefined : authorized?.isValid;
      const begins = await this.#pass(request.url, wire, { isReady, isFirst });
      if (begins !== false) return authorized;
    }
  }

  /** Sends the request of one hop, after adding everything that depends on its address. */
  async #send(hop: Hop, authorized: Authorized | undefined): Promise<RawResponse> {
    const { agents, timeouts, cookies, login, keepCookies, lenientParser, transport, maxResponseBytes } = this.#context;
    const { wire, trusted } = hop;
    try {
      const withCookies = trusted ? await cookies.add(wire) : wire;
      const signed = (trusted ? authorized?.sign?.(withCookies) : undefined) ?? withCookies;
      this.#sent += 1;
      this.#log.sent(signed);
      const direct = (): Promise<RawResponse> =>
        send(signed, { agents, timeouts, lenientParser, signal: this.#signal });
      const limits = { idle: timeouts.idle, maxBytes: maxResponseBytes };
      const response = await (transport === undefined ? direct() : sendThrough(transport, signed, direct, limits));
      this.#context.answered = true;
      this.#heedLimit(signed.url, response);
      if ((login || keepCookies) && trusted) await cookies.keep(response.cookies, signed.url);
      return response;
    } catch (error) {
      // An abort also ends here; the caller checks the signal before it retries.
      const isFirst = !this.#context.answered;
      throw faultOf(error, this.#log.nameOf(wire), { mayNeedTls: isFirst && wire.url.startsWith("http:") });
    }
  }

  /**
   * Waits until a request to this address may begin. Resolves with false if the request must not begin, because `isReady` returned
   * false after the wait. Undefined if the request may begin at once.
   */
  #pass(
    url: string,
    wire: () => WireRequest,
    options: Pick<PassOptions, "isReady" | "isFirst"> = {},
  ): Promise<boolean> | undefined {
    const { gate, login } = this.#context;
    const open = (): Promise<boolean> | undefined =>
      gate.pass(originOf(url), {
        signal: this.#signal,
        waiting: (originWait) => this.#reportWait(wire, originWait),
        part: this.#rates,
        isFirst: login,
        ...options,
      });
    const passing = this.#regulator === undefined ? open() : this.#regulator.turn(open, this.#signal);
    return passing && this.#context.account.during("rateLimit", passing, this.#log.dataset);
  }

  /** Reports a wait once. Throws SpileError (temporary) if it would be longer than `--max-wait`. */
  #reportWait(wire: () => WireRequest, originWait: OriginWait): void {
    const { maxWait } = this.#context;
    const ms = originWait.until - performance.now();
    if (originWait.reason === undefined) return;
    if (ms > maxWait) {
      const wait = `the wait for its renewal would be ${inSeconds(ms)}, longer than --max-wait of ${inSeconds(maxWait)}`;
      throw new SpileError("temporary", `${this.#log.nameOf(wire())}: ${originWait.reason}; ${wait}`);
    }
    if (!originWait.isReported) this.#log.waiting(wire(), originWait.reason, ms);
    originWait.isReported = true;
  }

  /**
   * If a response reports a used-up rate limit, delays all requests to its origin. A wait in the header `retryHeader` takes
   * precedence over the limit's own.
   */
  #heedLimit(url: string, response: RawResponse): void {
    const { limitHeaders, gate } = this.#context;
    const { retryHeader } = this.#policy;
    if (limitHeaders === undefined) return;
    const now = Date.now();
    const limit = usedUpLimit((name) => response.header(name), limitHeaders, now);
    if (limit === undefined) return;
    const ms = renewal(response.header(retryHeader), now) ?? limit.ms;
    if (ms !== undefined) gate.hold(originOf(url), ms, `the API's rate limit is used up (${limit.header})`);
  }

  #follow(hop: Hop, redirect: { status: number; location: string; count: number }): Hop {
    const { isTrusted, secrets, login } = this.#context;
    const where = this.#log.nameOf(hop.wire);
    const next = followRedirect(hop, redirect, { isTrusted, secrets, where });
    if (next.trusted) return next;
    const origin = originOf(next.wire.url);
    if (login) {
      const text = `${where}: answered ${redirect.status}, a redirect of the login to ${origin}, which is not a trusted origin (api.allowedOrigins)`;
      throw new SpileError("refused", text);
    }
    this.#log.untrusted(origin, credentialsInAddress(next.wire.url).length > 0);
    return next;
  }
}

function lacksParameters(bare: Request, { query, body }: Request): boolean {
  return bare.query.length < query.length || (bare.body?.length ?? 0) < (body?.length ?? 0);
}
