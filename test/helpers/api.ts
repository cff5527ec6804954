import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { createServer, type Server } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { isAnswer, json } from "./answers.ts";

export * from "./answers.ts";
export * from "./datasets.ts";

/** One request, as it was received. */
export interface Received {
  readonly method: string;
  /** The path alone, without the query. */
  readonly path: string;
  /** The raw query, without "?"; "" if the request has none. */
  readonly query: string;
  /** Path and query as sent. */
  readonly target: string;
  /** The query, decoded. */
  readonly params: URLSearchParams;
  /** Values by lower-case name; the last one of a repeated header. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers in the order and spelling in which they were sent. */
  readonly rawHeaders: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Number of the TCP connection, from 1. */
  readonly connection: number;
  /** Milliseconds since the API was started. */
  readonly at: number;
}

/** Answers a request: with an `Answer`, or with any other value, which is sent as JSON. */
export type Handler = (request: Received) => unknown;

/** Handlers by "/path" or "METHOD /path". `*` takes all other requests, which otherwise get a 404. */
export type Routes = Readonly<Record<string, Handler>>;

/** A real HTTP server on a free loopback port. `await using api = await startApi(...)` closes it. */
export interface Api {
  /** `http://127.0.0.1:PORT`, or https. Without a closing slash. */
  readonly url: string;
  readonly port: number;
  /** Every request so far. */
  readonly log: readonly Received[];
  /** Returns path and query of every request so far. */
  targets(): string[];
  /** Waits until at least `count` requests have come. */
  received(count: number): Promise<void>;
  /** Returns the number of TCP connections so far. */
  connections(): number;
  /** Returns the number of TCP connections that are open now. */
  open(): number;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts an API. It speaks HTTP/1.1 with keep-alive, on plain sockets, so that answers may be any bytes. */
export async function startApi(handler: Handler | Routes, options: { readonly tls?: TlsOptions } = {}): Promise<Api> {
  const handle = typeof handler === "function" ? handler : router(handler);
  const log: Received[] = [];
  const sockets = new Set<Socket>();
  const waiting: { count: number; resolve: () => void }[] = [];
  const started = performance.now();
  let connections = 0;
  const accept = (socket: Socket): void => {
    sockets.add(socket);
    connections += 1;
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setNoDelay(true);
    serve(socket, connections, async (partial) => {
      const request = { ...partial, at: performance.now() - started };
      log.push(request);
      for (const one of waiting) if (log.length >= one.count) one.resolve();
      const result = await handle(request);
      await (isAnswer(result) ? result : json(result)).send(socket);
    });
  };
  const server: Server = options.tls ? createTlsServer(options.tls, accept) : createServer(accept);
  // The socket of a failed handshake never reaches `accept`.
  server.on("tlsClientError", (_error, socket: Socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: `${options.tls ? "https" : "http"}://127.0.0.1:${port}`,
    port,
    log,
    targets: () => log.map((request) => request.target),
    received: (count) =>
      log.length >= count
        ? Promise.resolve()
        : new Promise<void>((resolve) => {
            waiting.push({ count, resolve });
          }),
    connections: () => connections,
    open: () => sockets.size,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function router(routes: Routes): Handler {
  return (request) => {
    const handler = routes[`${request.method} ${request.path}`] ?? routes[request.path] ?? routes["*"];
    return handler ? handler(request) : json({ error: `no ${request.method} ${request.path} here` }, { status: 404 });
  };
}

/** Answers the requests of a connection one after another. It keeps reading, so that it notices when the client closes the connection. */
function serve(socket: Socket, connection: number, answer: (request: Omit<Received, "at">) => Promise<void>): void {
  let buffered: Buffer = Buffer.alloc(0);
  let busy = false;
  const answerAll = async (): Promise<void> => {
    busy = true;
    for (let parsed = parse(buffered, connection); parsed; parsed = parse(buffered, connection)) {
      buffered = buffered.subarray(parsed.length);
      await answer(parsed.request);
    }
    busy = false;
  };
  socket.on("data", (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    // This is the answer of a server without TLS to a handshake.
    if (buffered[0] === 0x16) return void socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    if (busy) return;
    answerAll().catch((error: unknown) => {
      // A client may close the connection. A handler that throws is a fault of the test, so its error is shown.
      if (!socket.destroyed) console.error(error);
      socket.destroy();
    });
  });
}

function parse(bytes: Buffer, connection: number): { request: Omit<Received, "at">; length: number } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const [method = "", target = ""] = first.split(" ");
  const rawHeaders = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const headers = Object.fromEntries(rawHeaders.map(([name, value]) => [name.toLowerCase(), value]));
  const length = end + 4 + Number(headers["content-length"] ?? 0);
  if (bytes.length < length) return undefined;
  const mark = target.indexOf("?");
  const query = mark < 0 ? "" : target.slice(mark + 1);
  const path = mark < 0 ? target : target.slice(0, mark);
  const body = bytes.toString("utf8", end + 4, length);
  const params = new URLSearchParams(query);
  return { request: { method, path, query, target, params, headers, rawHeaders, body, connection }, length };
}
