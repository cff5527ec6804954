import type { Authenticator, Authorized } from "../core/authenticator.ts";
import { SpileError } from "../core/errors.ts";
import type { Request } from "../core/request.ts";
import { type RawResponse, send } from "./client.ts";
import type { SessionContext } from "./context.ts";
import type { ExchangeLog } from "./exchange-log.ts";
import { faultOf } from "./fault.ts";
import { followRedirect, type Hop, isPortless, isRedirect, originOf, stripped } from "./origin.ts";
import { serialize } from "./request.ts";
import { discard } from "./unread-body.ts";
import { sendThrough } from "./whole-response.ts";

/** A response with the request that it answers. */
export interface Reply {
  readonly response: RawResponse;
  readonly hop: Hop;
  readonly authorized: Authorized | undefined;
}

/** Makes attempts at one request: authorises it, sends it and follows redirects. */
export class Attempts {
  readonly #context: SessionContext;
  readonly #log: ExchangeLog;
  readonly #authenticator: Authenticator | undefined;
  readonly #signal: AbortSignal;
  #sent = 0;

  constructor(
    context: SessionContext,
    log: ExchangeLog,
    { authenticator, signal }: { readonly authenticator: Authenticator | undefined; readonly signal: AbortSignal },
  ) {
    this.#context = context;
    this.#log = log;
    this.#authenticator = authenticator;
    this.#signal = signal;
  }

  /** Requests sent so far, redirects included. */
  get sent(): number {
    return this.#sent;
  }

  /** One attempt, redirects followed. Rejects with TransportFault, SpileError or the signal's reason. */
  async make(request: Request): Promise<Reply> {
    let { hop, authorized } = await this.#begin(request);
    for (let count = 1; ; count += 1) {
      const response = await this.#send(hop, authorized);
      const location = response.header("location");
      if (!isRedirect(response.status, location)) return { response, hop, authorized };
      await discard(response, this.#context.timeouts);
      hop = this.#follow(hop, { status: response.status, location, count });
      await this.#context.gate.pass(originOf(hop.wire.url), this.#signal);
    }
  }

  async #begin(request: Request): Promise<{ hop: Hop; authorized: Authorized | undefined }> {
    const { gate, isTrusted, secrets } = this.#context;
    const origin = originOf(request.url);
    if (isPortless(origin))
      throw new SpileError("refused", `${this.#log.nameOf(serialize(request))}: there is no port 0`);
    // Before the credentials, which might die in a long wait.
    await gate.pass(origin, this.#signal);
    if (!isTrusted(origin)) {
      this.#log.untrusted(origin);
      return { hop: { wire: serialize(stripped(request, secrets)), trusted: false }, authorized: undefined };
    }
    const authorized = await this.#authenticator?.authorize(request, this.#signal);
    return { hop: { wire: serialize(authorized?.request ?? request), trusted: true }, authorized };
  }

  /** Sends a hop's request: the last touches that depend on its address are put on here. */
  async #send(hop: Hop, authorized: Authorized | undefined): Promise<RawResponse> {
    const { agents, timeouts, cookies, login, transport } = this.#context;
    const { wire, trusted } = hop;
    try {
      const withCookies = trusted ? await cookies.add(wire) : wire;
      const signed = (trusted ? authorized?.sign?.(withCookies) : undefined) ?? withCookies;
      this.#sent += 1;
      this.#log.sent(signed);
      const direct = (): Promise<RawResponse> => send(signed, { agents, timeouts, signal: this.#signal });
      const response = await (transport === undefined ? direct() : sendThrough(transport, signed, direct));
      this.#context.answered = true;
      if (login && trusted) await cookies.keep(response.cookies, signed.url);
      return response;
    } catch (error) {
      this.#signal.throwIfAborted();
      throw faultOf(error, this.#log.nameOf(wire));
    }
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
    this.#log.untrusted(origin);
    return next;
  }
}
