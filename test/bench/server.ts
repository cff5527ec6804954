import { createServer, type Socket } from "node:net";
import { type Packing, packings } from "./packed.ts";
import { block, blocksOf, document, pageRecord, type Style, styles } from "./records.ts";

/*
 * The bench's API, in a separate process. It speaks only the necessary part of HTTP/1.1 over raw sockets, and writes buffers that
 * exist before the measurement: it must take little time of the cores that it shares with the measured program.
 * Prints its port, and ends when its standard input ends.
 *
 *   /one?megabytes=1000&style=compact|pretty|ndjson|csv    one response
 *   /one?...&gzip=1                                        with Content-Encoding: gzip
 *   /one?...&packed=gzip|zip                               a file
 *   /pages?count=200&delay=50&limit=1000&offset=0          offset paging; the last page is one record short
 *   /pages?...&style=texts                                 the same; each record is one long text
 *   /pages?...&mood=capacity-3|rate-10|bursts              the same, from an API with a limited capacity
 *   /item                                                  a list of one record
 *   /ids?count=30000&limit=1000&offset=0                   offset paging over numbered parents
 */
const server = createServer((socket) => {
  let received = "";
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
    for (let end = received.indexOf("\r\n\r\n"); end >= 0; end = received.indexOf("\r\n\r\n")) {
      const target = received.split(" ", 2)[1] ?? "/";
      received = received.slice(end + 4);
      answer(socket, new URL(target, "http://localhost"));
    }
  });
});

function answer(socket: Socket, { pathname, searchParams }: URL): void {
  const number = (name: string) => Number(searchParams.get(name) ?? 0);
  if (pathname === "/pages") {
    const style = (searchParams.get("style") ?? "compact") as Style;
    const send = () => page(socket, style, number("count"), number("limit"), number("offset"));
    const { wait = 0, queued = 0 } = moods[searchParams.get("mood") ?? ""]?.(number("delay")) ?? {};
    if (wait > 0) refuse(socket, wait);
    else if (queued > 0) setTimeout(send, queued);
    else if (number("delay") > 0) setTimeout(send, number("delay"));
    else send();
  } else if (pathname === "/item") {
    text(socket, `[${pageRecord(0)}]`);
  } else if (pathname === "/ids") {
    const length = Math.max(0, Math.min(number("limit"), number("count") - number("offset")));
    text(socket, JSON.stringify(Array.from({ length }, (_, index) => ({ id: number("offset") + index }))));
  } else if (pathname === "/one") {
    void one(socket, searchParams);
  } else {
    socket.write("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  }
}

function text(socket: Socket, body: string): void {
  socket.write(headers(Buffer.byteLength(body)) + body);
}

function refuse(socket: Socket, seconds: number): void {
  socket.write(`HTTP/1.1 429 Too Many Requests\r\nRetry-After: ${seconds}\r\nContent-Length: 0\r\n\r\n`);
}

interface Mood {
  /** Seconds to wait, if the request is refused. */
  readonly wait?: number;
  /** Milliseconds until the request is answered, if it is queued. */
  readonly queued?: number;
}

const free = [0, 0, 0];
const window = { start: 0, count: 0 };
const bucket = { tokens: 20, last: 0 };

/** Capacities of an API: three at a time, ten in each second, twenty at once and twenty a second. */
const moods: Readonly<Record<string, (delay: number) => Mood>> = {
  "capacity-3": (delay) => {
    const now = performance.now();
    free.sort((one, other) => one - other);
    const ends = Math.max(now, free[0] ?? 0) + delay;
    free[0] = ends;
    return { queued: ends - now };
  },
  "rate-10": () => {
    const now = performance.now();
    if (now >= window.start + 1000) Object.assign(window, { start: now, count: 0 });
    window.count += 1;
    return window.count > 10 ? { wait: 1 } : {};
  },
  bursts: () => {
    const now = performance.now();
    bucket.tokens = Math.min(20, bucket.tokens + ((now - bucket.last) * 20) / 1000);
    bucket.last = now;
    if (bucket.tokens < 1) return { wait: 1 };
    bucket.tokens -= 1;
    return {};
  },
};

function page(socket: Socket, style: Style, count: number, limit: number, offset: number): void {
  const index = Math.floor(offset / limit);
  const { text, lines } = block(limit - 1, style);
  // Text and lines have the same length, with a comma in place of each line end.
  const end = index < count - 1 ? -1 : index === count - 1 ? lines.lastIndexOf("\n", -2) : 0;
  const middle = text.subarray(0, end);
  const start = end === 0 ? "" : `${pageRecord(index)},`;
  const before = styles[style].head + start;
  const after = styles[style].tail(count * limit - 1);
  socket.cork();
  socket.write(`${headers(before.length + middle.length + after.length)}${before}`);
  socket.write(middle);
  socket.write(after);
  socket.uncork();
}

function headers(length: number, more = "Content-Type: application/json\r\n"): string {
  return `HTTP/1.1 200 OK\r\n${more}Content-Length: ${length}\r\n\r\n`;
}

const types: Readonly<Record<Style, string>> = {
  compact: "application/json",
  texts: "application/json",
  pretty: "application/json",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
};

/** Responses made so far: their pieces are shared. */
const made = new Map<string, readonly Buffer[]>();

async function one(socket: Socket, parameters: URLSearchParams): Promise<void> {
  const style = (parameters.get("style") ?? "compact") as Style;
  const isEncoded = parameters.has("gzip");
  const packing = (isEncoded ? "gzip" : parameters.get("packed")) as Packing | null;
  const key = parameters.toString();
  const plain = (): readonly Buffer[] => document(blocksOf(Number(parameters.get("megabytes")), style), style);
  const pieces = made.get(key) ?? (packing === null ? plain() : packings[packing](plain()));
  made.set(key, pieces);
  const type = isEncoded || packing === null ? types[style] : "application/octet-stream";
  const encoding = isEncoded ? "Content-Encoding: gzip\r\n" : "";
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  socket.write(headers(length, `Content-Type: ${type}\r\n${encoding}`));
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (!socket.write(piece)) await drained(socket);
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off("drain", done);
      socket.off("close", done);
      resolve();
    };
    socket.on("drain", done);
    socket.on("close", done);
  });
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : address);
});
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
