import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { TLSSocket } from "node:tls";
import fetch, { type RequestInit } from "node-fetch";
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
  readonly signal: AbortSignal;
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
  const { signal } = options;
  const agent = await options.agents.find(wire.url);
  for (let repeats = 0; ; repeats += 1) {
    signal.throwIfAborted();
    const attempt = start(wire, agent, options);
    try {
      return await attempt.response;
    } catch (error) {
      if (!attempt.stale() || repeats === 3) throw error;
      // Its neighbours were idle as long: closing them all makes the next attempt's connection a new one.
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    }
  }
}

interface Attempt {
  readonly response: Promise<RawResponse>;
  /** Did it fail on a kept-alive connection before any byte of the response came? */
  stale(): boolean;
}

/**
 * One request by node-fetch. Of what node-fetch makes of a connection's end not everything can be trusted: an error
 * after the last chunk drops bytes not yet read, and a body longer than its length comes out empty. So Node's own request
 * is listened to beside it: reached through the agent, whose `addRequest` Node calls before node-fetch sees the request.
 */
function start(wire: WireRequest, agent: HttpAgent, { timeouts, signal, lenientParser }: SendOptions): Attempt {
  let request: ClientRequest | undefined;
  let received = (): boolean => false;
  let timed = false;
  const response = new Promise<RawResponse>((resolve, reject) => {
    let incoming: Incoming | undefined;
    const timers: NodeJS.Timeout[] = [];
    const settle = (): void => {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    };
    const fail = (error: unknown): void => {
      settle();
      reject(error);
      request?.destroy();
    };
    const abort = (): void => fail(signal.reason);
    const limit = (ms: number, what: string): NodeJS.Timeout | undefined => {
      if (ms === 0) return undefined;
      const expire = (): void => {
        timed = true;
        fail(new TransportFault(`${what} within ${ms / 1000} s`));
      };
      const timer = setTimeout(expire, Math.min(ms, 2 ** 31 - 1));
      timers.push(timer);
      return timer;
    };
    signal.addEventListener("abort", abort);
    const connecting = limit(timeouts.connect, "no connection");
    limit(timeouts.request, "no response");

    const look = (made: ClientRequest): void => {
      request = made;
      for (const [name, value] of wire.headers.values()) {
        if (!/^(content-length|transfer-encoding)$/i.test(name)) made.setHeader(name, value);
      }
      made.once("socket", (socket) => {
        const before = socket.bytesRead;
        received = () => socket.bytesRead > before;
        connected(socket, () => clearTimeout(connecting));
      });
      made.once("error", (error) => fail(error));
      // Neither a response nor an error follows.
      made.once("upgrade", (_message, socket) => {
        socket.destroy();
        fail(new TransportFault("answered 101, a change of protocols that was not asked for"));
      });
      made.once("response", (message) => {
        incoming = watch(made, message);
      });
    };
    const body = wire.body === undefined ? {} : { body: wire.body };
    const lenient = lenientParser ? { insecureHTTPParser: true } : {};
    const init: RequestInit = { method: wire.method, agent, compress: false, redirect: "manual", ...body, ...lenient };
    watchRequest(look, () => fetch(wire.url, init)).then(
      ({ body: stream }) => {
        settle();
        if (incoming === undefined || stream === null || request === undefined) {
          return fail(new Error("node-fetch gave a response without a message"));
        }
        resolve(responseOf(request, incoming, stream as Readable, signal));
      },
      // Node's own error has been taken above and says more; what else node-fetch throws is told here.
      fail,
    );
  });
  const stale = (): boolean => request?.reusedSocket === true && !received() && !timed && !signal.aborted;
  return { response, stale };
}

function connected(socket: Socket, done: () => void): void {
  const secure = "encrypted" in socket;
  const ready =
    !socket.connecting && !(secure && (socket as TLSSocket & { secureConnecting?: boolean }).secureConnecting);
  if (ready) done();
  else socket.once(secure ? "secureConnect" : "connect", done);
}

interface Incoming {
  readonly message: IncomingMessage;
  readonly chunked: boolean;
  /** The error of the connection or the parser after the headers. */
  error(): Error | undefined;
}

/** Takes the response's errors from node-fetch: it would answer them by dropping what has not been read. */
function watch(request: ClientRequest, message: IncomingMessage): Incoming {
  let error: Error | undefined;
  request.removeAllListeners("error");
  request.on("error", (thrown) => {
    error ??= thrown;
  });
  const chunked = message.headers["transfer-encoding"] !== undefined;
  // Node checks the last chunk itself; node-fetch's own check takes a terminator in several packets for a cut.
  delete message.headers["transfer-encoding"];
  return { message, chunked, error: () => error };
}

function responseOf(request: ClientRequest, incoming: Incoming, stream: Readable, signal: AbortSignal): RawResponse {
  const { message, chunked } = incoming;
  const { headers } = message;
  const length = chunked || headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);
  let aborted: { readonly reason: unknown } | undefined;
  const abort = (reason: unknown): void => {
    aborted ??= { reason };
    signal.removeEventListener("abort", onAbort);
    // The stream goes first: the request's end would let it end as if it were whole.
    stream.destroy(reason instanceof Error ? reason : new Error(String(reason)));
    request.destroy();
  };
  const onAbort = (): void => abort(signal.reason);
  signal.addEventListener("abort", onAbort);
  return {
    status: message.statusCode ?? 0,
    get headers() {
      return pairs(message.rawHeaders);
    },
    header: (name) => {
      const value = headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    cookies: headers["set-cookie"] ?? [],
    stream,
    framed: chunked || length !== undefined,
    length,
    fault: (bytes) => {
      const cause = incoming.error();
      const garbled = (cause as NodeJS.ErrnoException | undefined)?.code?.startsWith("HPE_") ?? false;
      if (message.complete && (length === undefined || length === bytes)) {
        // After a whole message the connection may break as it likes; but bytes beyond the message make its length a lie.
        if (!garbled) return undefined;
        return new TransportFault(`the body is longer than its Content-Length of ${length ?? 0} bytes`, { cause });
      }
      if (garbled) return new TransportFault(`the body is not HTTP after ${bytes} bytes: ${cause?.message}`, { cause });
      const promised = length === undefined ? "before its last chunk" : `of ${length}`;
      return new TransportFault(`the body ended early, after ${bytes} bytes ${promised}`, { cause });
    },
    abort,
    aborted: () => aborted,
    done: () => signal.removeEventListener("abort", onAbort),
  };
}

/** Node's list of names and values in turn. */
function pairs(raw: readonly string[]): (readonly [name: string, value: string])[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []));
}
