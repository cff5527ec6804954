import http, { type ClientRequest, type Agent as HttpAgent, type IncomingMessage } from "node:http";
import https from "node:https";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { TLSSocket } from "node:tls";
import fetch, { type RequestInit } from "node-fetch";
import type { Cancellation } from "../../core/cancellation.ts";
import type { WireRequest } from "../../core/requests/request.ts";
import { maxDelay } from "../../core/timer.ts";
import { type Agents, isWatched, watchRequest } from "./agents.ts";
import { TransportFault, wasReset } from "./fault.ts";

/** Limits in milliseconds; 0 is no limit. */
export interface Timeouts {
  /** Time until the connection, including TLS, is made. */
  readonly connect: number;
  /** Time until the response's headers have come. */
  readonly request: number;
  /** Time between two pieces of a body. */
  readonly idle: number;
}

export interface SendOptions {
  readonly agents: Agents;
  readonly timeouts: Timeouts;
  /** True to accept responses that break HTTP in harmless ways. */
  readonly lenientParser: boolean;
  readonly signal: Cancellation;
}

/** A response whose body is still to be read. */
export interface RawResponse {
  readonly status: number;
  /** Headers in the order and spelling of the message. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  header(name: string): string | undefined;
  readonly cookies: readonly string[];
  /** The body in its content encoding. */
  readonly stream: Readable;
  /**
   * True if the message marks its own end (by a length or chunks). Then an incomplete document is not a fault of the connection.
   */
  readonly framed: boolean;
  /** Content-Length in bytes. */
  readonly length: number | undefined;
  /** Returns the fault of a message that ended after `bytes` bytes of its body; undefined if it is complete. */
  fault(bytes: number): TransportFault | undefined;
  /**
   * Returns whether the message does not mark its own end and the connection was reset instead of closed. Must be called after the
   * body was read.
   */
  isReset(): boolean;
  /** Drops the response and its connection. */
  abort(reason: unknown): void;
  /** Returns the reason of the abort; undefined if it was not aborted. */
  aborted(): { readonly reason: unknown } | undefined;
  /** Stops listening to the signal. Called when the body has been read. */
  done(): void;
}

/**
 * Sends one request without following redirects. Resolves when the headers of the response have come. If a request is lost because
 * the server has just closed a kept-alive connection, it is silently sent again, up to three times. Rejects with Node's error, with
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
      // The other idle connections are probably closed, too. All of them are dropped, so that the next attempt gets a new connection.
      for (const sockets of Object.values(agent.freeSockets ?? {}))
        for (const socket of sockets ?? []) socket.destroy();
    }
  }
}

/** An agent, with the members that only an agent for a proxy has. */
type MaybeProxyAgent = HttpAgent & { readonly proxy?: unknown; abandon?(request: ClientRequest): void };

/**
 * The functions found as `http.request` and `https.request`, which other code may have replaced: those that use the agent that is
 * passed to them, and those that ignore it.
 */
const usingOurAgent = new WeakSet<object>();
const ignoringOurAgent = new WeakSet<object>();

/**
 * Sends one request by node-fetch. The response is Node's own message: node-fetch would pass it through another stream, which costs half
 * of the time of a small page. That stream also mishandles the end of some connections: an error after the last chunk drops
 * unread bytes, and a body longer than its length comes out empty. So our listeners replace those of node-fetch as soon as
 * node-fetch has created the request, before any event can come.
 */
class Sending {
  readonly #options: SendOptions;
  #request: ClientRequest | undefined;
  #agent: MaybeProxyAgent | undefined;
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

  /** Returns whether the request failed on a kept-alive connection before any byte of the response came. */
  get isStale(): boolean {
    const received = (this.#socket?.bytesRead ?? 0) > this.#bytesBefore;
    return this.#request?.reusedSocket === true && !received && !this.#timedOut && !this.#options.signal.aborted;
  }

  start(wire: WireRequest, agent: HttpAgent): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      this.#agent = agent;
      const { signal, timeouts } = this.#options;
      const request = this.#make(wire, agent);
      signal.addEventListener("abort", this.#abort);
      this.#waiting = this.#startTimer(timeouts.request, "no response");
      // The timer starts before there is a socket, since opening a tunnel takes time.
      if (!request.reusedSocket) this.#connecting = this.#startTimer(timeouts.connect, "no connection");
      this.#listen(request, resolve);
    });
  }

  /**
   * Makes the request. Other code may have replaced Node's function by one that does not use our agent (a bootstrap for proxies, a
   * mock in a test). Then the replacement is called directly and chooses the agent, since node-fetch would not give us access to
   * its request. For the same reason, Node's function is called directly with an agent that `watchRequest` does not see.
   */
  #make(wire: WireRequest, agent: HttpAgent): ClientRequest {
    const { request: make } = wire.url.startsWith("https:") ? https : http;
    if (!isWatched(agent) || ignoringOurAgent.has(make)) return this.#makeDirectly(wire, make, agent);
    if (!usingOurAgent.has(make)) {
      // This agent only observes. If it receives the request, `make` uses our agent, and this request is never sent. Otherwise
      // the request was already sent.
      let isSeen = false;
      const receive = (): void => {
        isSeen = true;
      };
      const observer: HttpAgent = Object.create(agent, { addRequest: { value: receive } });
      const request = this.#makeDirectly(wire, make, observer);
      if (!isSeen) {
        ignoringOurAgent.add(make);
        return request;
      }
      usingOurAgent.add(make);
      request.on("error", () => undefined).destroy();
      this.#request = undefined;
    }
    const init: RequestInit = { method: wire.method, agent, compress: false, redirect: "manual" };
    if (wire.body !== undefined) init.body = wire.body;
    if (this.#options.lenientParser) init.insecureHTTPParser = true;
    const response = watchRequest(
      (request) => this.#prepare(request, wire),
      () => fetch(wire.url, init),
    );
    // Reports an error that occurs while the request is created. `#listen` handles all later errors.
    const createdRequest = this.#request;
    response.catch((error) => {
      if (createdRequest !== undefined) this.#fail(error);
    });
    if (createdRequest === undefined)
      throw new TransportFault("other code in this process took the request from its agent");
    return createdRequest;
  }

  #makeDirectly(wire: WireRequest, make: typeof http.request, agent: HttpAgent): ClientRequest {
    const { lenientParser } = this.#options;
    const request = make(wire.url, { method: wire.method, agent, insecureHTTPParser: lenientParser });
    this.#prepare(request, wire);
    request.end(wire.body);
    return request;
  }

  #prepare(request: ClientRequest, wire: WireRequest): void {
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
      if (this.#connecting !== undefined) whenConnected(socket, () => clearTimeout(this.#connecting));
    });
    request.on("error", (error) => {
      if (this.#response === undefined) this.#fail(error);
      else this.#response.broken(error);
    });
    // After an upgrade, neither a response nor an error follows, so the request fails here.
    request.once("upgrade", (_message, socket) => {
      socket.destroy();
      this.#fail(new TransportFault("answered 101, a protocol change that was not requested"));
    });
    request.once("response", (message) => {
      this.#stopTimers();
      this.#response = new MessageResponse(request, message, () => this.#done());
      resolve(this.#response);
    });
  }

  #startTimer(ms: number, what: string): NodeJS.Timeout | undefined {
    if (ms === 0) return undefined;
    const expire = (): void => {
      this.#timedOut = true;
      const proxy = this.#agent?.proxy;
      const by = proxy instanceof URL ? ` through the proxy ${proxy.host}` : "";
      this.#fail(new TransportFault(`${what} within ${ms / 1000} s${by}`));
    };
    return setTimeout(expire, Math.min(ms, maxDelay));
  }

  #fail(error: unknown): void {
    this.#stopTimers();
    this.#done();
    this.#reject(error);
    if (this.#request === undefined) return;
    this.#request.destroy();
    this.#agent?.abandon?.(this.#request);
  }

  #stopTimers(): void {
    clearTimeout(this.#connecting);
    clearTimeout(this.#waiting);
  }

  /** Stops listening for an abort. */
  #done(): void {
    this.#options.signal.removeEventListener("abort", this.#abort);
  }
}

function whenConnected(socket: Socket, done: () => void): void {
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
  /** Error of the connection or the parser after the headers. */
  #error: Error | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #isReset = false;
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
    const { socket } = message;
    // The message of a mock in a test has another kind of socket, or none.
    if (this.framed || !(socket instanceof Socket)) return;
    socket.prependOnceListener("end", () => {
      this.#isReset = wasReset(socket);
    });
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
      // The connection may break after a complete message. But bytes after the message prove that its end is wrong.
      if (!garbled) return undefined;
      const tooLong = `the body is longer than its Content-Length of ${length} bytes`;
      return new TransportFault(length === undefined ? "bytes came after the end of the response" : tooLong, { cause });
    }
    if (garbled) return new TransportFault(`the body is not HTTP after ${bytes} bytes: ${cause?.message}`, { cause });
    const promised = length === undefined ? ", before its last chunk" : ` of ${length}`;
    return new TransportFault(`the body ended early, after ${bytes} bytes${promised}`, { cause });
  }

  isReset(): boolean {
    return !this.framed && (this.#error !== undefined || this.#isReset);
  }

  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.done();
    // The stream is destroyed first: the end of the request would otherwise end the stream as if it were complete.
    this.stream.destroy(reason instanceof Error ? reason : new Error(String(reason)));
    this.#request.destroy();
  }

  aborted(): { readonly reason: unknown } | undefined {
    return this.#aborted;
  }
}

/** Returns the pairs of Node's flat list of names and values. */
function pairs(raw: readonly string[]): (readonly [name: string, value: string])[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []));
}
