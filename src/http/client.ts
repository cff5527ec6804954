import http, { type ClientRequest, type Agent as HttpAgent, type IncomingMessage } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { TLSSocket } from "node:tls";
import fetch, { type RequestInit } from "node-fetch";
import type { Cancellation } from "../core/cancellation.ts";
import type { WireRequest } from "../core/request.ts";
import { type Agents, watchRequest } from "./agents.ts";
import { TransportFault } from "./fault.ts";

/** In milliseconds; 0 is none. */
export interface Timeouts {
  /** Until the connection, TLS included, is made. */
  readonly connect: number;
  /** Until the response's headers have come. */
  readonly request: number;
  /** Between two pieces of a body. */
  readonly idle: number;
}

export interface SendOptions {
  readonly agents: Agents;
  readonly timeouts: Timeouts;
  /** Take answers that break HTTP in harmless ways. */
  readonly lenientParser: boolean;
  readonly signal: Cancellation;
}

/** A response whose body has yet to be read. */
export interface RawResponse {
  readonly status: number;
  /** As they came, in order, with their spelling. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  header(name: string): string | undefined;
  readonly cookies: readonly string[];
  /** The body as it comes, in its content encoding. */
  readonly stream: Readable;
  /** The message carries its own end (a length or chunks): then a document that stops early is not the line's fault. */
  readonly framed: boolean;
  /** Bytes promised by Content-Length. */
  readonly length: number | undefined;
  /** Why the message, whose `bytes` have been read to the end, is not whole; undefined where it is. */
  fault(bytes: number): TransportFault | undefined;
  /** Did the connection break where it should have ended the message? Asked once the body has been read. */
  isReset(): boolean;
  /** Drops the response and its connection. */
  abort(reason: unknown): void;
  /** The reason of the abort, where there was one. */
  aborted(): { readonly reason: unknown } | undefined;
  /** The body has been read: the signal is not listened to any more. */
  done(): void;
}

/**
 * Sends one request, following nothing, and gives the response once its headers are there. A request lost because the
 * server closed a kept-alive connection meanwhile is sent again unseen. Rejects with what Node threw, with
 * TransportFault for time-outs, or with the signal's reason.
 */
export async function send(wire: WireRequest, options: SendOptions): Promise<RawResponse> {
  const found = options.agents.find(wire.url);
  const agent = found instanceof Promise ? await found : found;
  for (let repeats = 0; ; repeats += 1) {
    options.signal.throwIfAborted();
    const sending = new Sending(options);
    try {
      return await sending.start(wire, agent);
    } catch (error) {
      if (!sending.isStale || repeats === 3) throw error;
      // Its neighbours were idle as long: closing them all makes the next attempt's connection a new one.
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    }
  }
}

/** Functions in the place of `http.request` that use the agent that they are given, and those that do not. */
const trusted = new WeakSet<object>();
const strangers = new WeakSet<object>();

/**
 * One request by node-fetch, answered by Node's message itself. node-fetch would put one stream more behind it, which is
 * half of the time of a small page, and what that makes of a connection's end cannot all be trusted: an error after the
 * last chunk drops bytes not yet read, and a body longer than its length comes out empty. So its listeners give way to
 * ours as soon as it has made the request, before any event can come.
 */
class Sending {
  readonly #options: SendOptions;
  #request: ClientRequest | undefined;
  #socket: Socket | undefined;
  #bytesBefore = 0;
  #timedOut = false;
  #connecting: NodeJS.Timeout | undefined;
  #waiting: NodeJS.Timeout | undefined;
  #reject: (error: unknown) => void = () => undefined;
  #response: MessageResponse | undefined;
  readonly #abort = (): void => {
    const { reason } = this.#options.signal;
    if (this.#response === undefined) this.#fail(reason);
    else this.#response.abort(reason);
  };

  constructor(options: SendOptions) {
    this.#options = options;
  }

  /** Did it fail on a kept-alive connection before any byte of the response came? */
  get isStale(): boolean {
    const received = (this.#socket?.bytesRead ?? 0) > this.#bytesBefore;
    return this.#request?.reusedSocket === true && !received && !this.#timedOut && !this.#options.signal.aborted;
  }

  start(wire: WireRequest, agent: HttpAgent): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      const { signal, timeouts } = this.#options;
      const request = this.#make(wire, agent);
      signal.addEventListener("abort", this.#abort);
      this.#waiting = this.#limit(timeouts.request, "no response");
      // Before the socket is there too: a tunnel's takes its time.
      if (!request.reusedSocket) this.#connecting = this.#limit(timeouts.connect, "no connection");
      this.#listen(request, resolve);
    });
  }

  /**
   * Makes the request. Where other code has put a function of its own in the place of Node's that does not use our agent
   * (a bootstrap for proxies, a mock of a test), the request is made by that function and goes out by the agent that it
   * chooses: node-fetch would not let us have it.
   */
  #make(wire: WireRequest, agent: HttpAgent): ClientRequest {
    const { request: make } = wire.url.startsWith("https:") ? https : http;
    const { lenientParser } = this.#options;
    if (!strangers.has(make)) {
      const init: RequestInit = { method: wire.method, agent, compress: false, redirect: "manual" };
      if (wire.body !== undefined) init.body = wire.body;
      if (lenientParser) init.insecureHTTPParser = true;
      const trial = trusted.has(make) ? undefined : new AbortController();
      if (trial !== undefined) init.signal = trial.signal;
      const answered = watchRequest(
        (request) => this.#dress(request, wire),
        () => fetch(wire.url, init),
      );
      // An error while the request is made is reported here; all that comes later is listened to in `#listen`.
      const ours = this.#request;
      answered.catch((error) => {
        if (ours !== undefined) this.#fail(error);
      });
      if (ours !== undefined) {
        trusted.add(make);
        return ours;
      }
      strangers.add(make);
      if (trial === undefined) throw new TransportFault("other code in this process took the request from its agent");
      // Nothing of it has been sent yet.
      trial.abort();
    }
    const request = make(wire.url, { method: wire.method, agent, insecureHTTPParser: lenientParser });
    this.#dress(request, wire);
    request.end(wire.body);
    return request;
  }

  #dress(request: ClientRequest, wire: WireRequest): void {
    this.#request = request;
    for (const [key, [name, value]] of wire.headers) {
      if (key !== "content-length" && key !== "transfer-encoding") request.setHeader(name, value);
    }
  }

  #listen(request: ClientRequest, resolve: (response: RawResponse) => void): void {
    for (const event of ["response", "socket", "error"]) request.removeAllListeners(event);
    request.once("socket", (socket) => {
      this.#socket = socket;
      this.#bytesBefore = socket.bytesRead;
      if (this.#connecting !== undefined) connected(socket, () => clearTimeout(this.#connecting));
    });
    request.on("error", (error) => {
      if (this.#response === undefined) this.#fail(error);
      else this.#response.broken(error);
    });
    // Neither a response nor an error follows.
    request.once("upgrade", (_message, socket) => {
      socket.destroy();
      this.#fail(new TransportFault("answered 101, a change of protocols that was not asked for"));
    });
    request.once("response", (message) => {
      this.#answered();
      this.#response = new MessageResponse(request, message, () => this.#done());
      resolve(this.#response);
    });
  }

  #limit(ms: number, what: string): NodeJS.Timeout | undefined {
    if (ms === 0) return undefined;
    const expire = (): void => {
      this.#timedOut = true;
      this.#fail(new TransportFault(`${what} within ${ms / 1000} s`));
    };
    return setTimeout(expire, Math.min(ms, 2 ** 31 - 1));
  }

  #fail(error: unknown): void {
    this.#answered();
    this.#done();
    this.#reject(error);
    this.#request?.destroy();
  }

  #answered(): void {
    clearTimeout(this.#connecting);
    clearTimeout(this.#waiting);
  }

  /** Nothing is to be aborted any more. */
  #done(): void {
    this.#options.signal.removeEventListener("abort", this.#abort);
  }
}

function connected(socket: Socket, done: () => void): void {
  const secure = "encrypted" in socket;
  const ready =
    !socket.connecting && !(secure && (socket as TLSSocket & { secureConnecting?: boolean }).secureConnecting);
  if (ready) done();
  else socket.once(secure ? "secureConnect" : "connect", done);
}

/** A response whose body is Node's message. */
class MessageResponse implements RawResponse {
  readonly status: number;
  readonly framed: boolean;
  readonly length: number | undefined;
  readonly stream: IncomingMessage;
  readonly #request: ClientRequest;
  /** Of the connection or the parser, after the headers. */
  #error: Error | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  readonly done: () => void;

  constructor(request: ClientRequest, message: IncomingMessage, done: () => void) {
    const { headers } = message;
    const chunked = headers["transfer-encoding"] !== undefined;
    const length = headers["content-length"];
    this.#request = request;
    this.done = done;
    this.stream = message;
    this.status = message.statusCode ?? 0;
    this.length = chunked || length === undefined ? undefined : Number(length);
    this.framed = chunked || length !== undefined;
  }

  get headers(): readonly (readonly [name: string, value: string])[] {
    return pairs(this.stream.rawHeaders);
  }

  get cookies(): readonly string[] {
    return this.stream.headers["set-cookie"] ?? [];
  }

  header(name: string): string | undefined {
    const value = this.stream.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  broken(error: Error): void {
    this.#error ??= error;
  }

  fault(bytes: number): TransportFault | undefined {
    const { length } = this;
    const cause = this.#error;
    const garbled = (cause as NodeJS.ErrnoException | undefined)?.code?.startsWith("HPE_") ?? false;
    if (this.stream.complete && (length === undefined || length === bytes)) {
      // After a whole message the connection may break as it likes; but bytes beyond the message make its length a lie.
      if (!garbled) return undefined;
      return new TransportFault(`the body is longer than its Content-Length of ${length ?? 0} bytes`, { cause });
    }
    if (garbled) return new TransportFault(`the body is not HTTP after ${bytes} bytes: ${cause?.message}`, { cause });
    const promised = length === undefined ? "before its last chunk" : `of ${length}`;
    return new TransportFault(`the body ended early, after ${bytes} bytes ${promised}`, { cause });
  }

  isReset(): boolean {
    return !this.framed && this.#error !== undefined;
  }

  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.done();
    // The stream goes first: the request's end would let it end as if it were whole.
    this.stream.destroy(reason instanceof Error ? reason : new Error(String(reason)));
    this.#request.destroy();
  }

  aborted(): { readonly reason: unknown } | undefined {
    return this.#aborted;
  }
}

/** Node's list of names and values in turn. */
function pairs(raw: readonly string[]): (readonly [name: string, value: string])[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []));
}
