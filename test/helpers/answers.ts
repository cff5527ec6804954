import type { Socket } from "node:net";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import type { Handler } from "./api.ts";

/** Writes one response to the connection. When it returns, the connection takes the next request. */
export interface Answer {
  readonly send: (socket: Socket) => void | Promise<void>;
}

export function isAnswer(value: unknown): value is Answer {
  return typeof value === "object" && value !== null && "send" in value && typeof value.send === "function";
}

export interface AnswerOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

type Bytes = string | Uint8Array;

/** A step of a `raw` answer: bytes to write, or something to do. */
export type Act = Bytes | { readonly act: (socket: Socket) => void | Promise<void> };

/** Waits `ms` milliseconds. */
export const pause = (ms: number): Act => ({ act: () => new Promise((resolve) => setTimeout(resolve, ms)) });
/** Ends the connection with a FIN. */
export const fin: Act = { act: (socket) => void socket.end() };
/** Ends the connection with an RST. It waits a moment, so that everything that was written before can arrive. */
export const reset: Act = { act: (socket) => void setTimeout(() => breakOff(socket), 15) };
/** Sends bytes and an RST together, as a busy client receives them. */
export function lastBytes(bytes: string): Act {
  return {
    act: (socket) => {
      socket.write(bytes);
      breakOff(socket);
    },
  };
}
/** Sends bytes, the end of the stream, and then an RST, as a system does that gets packets long after the end. */
export function endThenReset(bytes: string): Act {
  return { act: (socket) => void socket.end(bytes, () => socket.resetAndDestroy()) };
}
/** Node cannot reset a socket that is ending: its handle would stay for ever, and the process would hang at its end. */
function breakOff(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
/** Sends nothing more until the client closes the connection. */
export const stall: Act = { act: (socket) => new Promise((resolve) => socket.once("close", () => resolve())) };

/** Sends exactly these bytes and acts, in turn. */
export function raw(...acts: readonly Act[]): Answer {
  const send = async (socket: Socket): Promise<void> => {
    for (const act of acts) {
      if (typeof act === "string" || act instanceof Uint8Array) await write(socket, act);
      else await act.act(socket);
    }
  };
  return { send };
}

/** Sends bytes with a correct Content-Length. The Content-Type is that of JSON unless `headers` say otherwise. */
export function text(body: Bytes, options: AnswerOptions = {}): Answer {
  const bytes = Buffer.from(body);
  return raw(head({ ...options, headers: { "content-length": String(bytes.length), ...options.headers } }), bytes);
}

export function json(value: unknown, options: AnswerOptions = {}): Answer {
  return text(JSON.stringify(value) ?? "null", options);
}

/** Sends no body; the status is 204 by default. */
export function empty(status = 204, headers: Readonly<Record<string, string>> = {}): Answer {
  const length = status === 204 || status === 304 ? {} : { "content-length": "0" };
  return raw(`HTTP/1.1 ${status} X\r\n${lines({ ...length, ...headers })}\r\n`);
}

export function redirect(location: string, status = 302): Answer {
  return text("<html>moved</html>", { status, headers: { location, "content-type": "text/html" } });
}

/** Sends a chunked body, one chunk for each part. A generator may give an endless body, which the client's pace holds back. */
export function chunked(parts: Iterable<Bytes> | AsyncIterable<Bytes>, options: AnswerOptions = {}): Answer {
  const send = async (socket: Socket): Promise<void> => {
    await write(socket, open(options));
    for await (const part of parts) {
      if (part.length > 0) await write(socket, chunk(part));
    }
    await write(socket, "0\r\n\r\n");
  };
  return { send };
}

/** Sends a body in a content encoding. `declared` is the encoding in the header, if it is another one. */
export function encoded(
  encoding: "gzip" | "deflate" | "deflate-raw" | "br",
  body: Bytes,
  options: AnswerOptions & { readonly declared?: string } = {},
): Answer {
  const declared = options.declared ?? (encoding === "deflate-raw" ? "deflate" : encoding);
  return text(compress[encoding](body), { ...options, headers: { "content-encoding": declared, ...options.headers } });
}

export const compress = {
  gzip: (body: Bytes): Buffer => gzipSync(body),
  deflate: (body: Bytes): Buffer => deflateSync(body),
  "deflate-raw": (body: Bytes): Buffer => deflateRawSync(body),
  // At its default quality, Brotli takes 20 s for 10 MB.
  br: (body: Bytes): Buffer => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
};

/**
 * Broken and odd ways to send a body, by name. `at` is the number of bytes of the body before the fault (by default half of the
 * body, or all of it if only its end is missing). Those under `broken` deliver no complete body, except `dripping`, which is
 * slow; those under `odd` do.
 */
export const broken = {
  resetBeforeHeaders: (): Answer => raw(reset),
  closedBeforeHeaders: (): Answer => raw(fin),
  headersCut: (): Answer => raw("HTTP/1.1 200 OK\r\nContent-Ty", fin),
  stalledBeforeHeaders: (): Answer => raw(stall),
  resetInBody: (body: Bytes, at = half(body)): Answer => raw(sized(body), part(body, at), reset),
  resetInChunk: (body: Bytes, at = half(body)): Answer => raw(open(), chunk(part(body, at)), reset),
  cutInBody: (body: Bytes, at = half(body)): Answer => raw(sized(body), part(body, at), fin),
  resetWithoutLength: (body: Bytes, at = Buffer.byteLength(body), headers = ""): Answer =>
    raw(`HTTP/1.1 200 OK\r\n${headers}Connection: close\r\n\r\n`, part(body, at), reset),
  cutWithoutLength: (body: Bytes, at = half(body)): Answer => raw(closing(), part(body, at), fin),
  cutWithoutTerminator: (body: Bytes, at = Buffer.byteLength(body)): Answer =>
    raw(open(), chunk(part(body, at)), pause(5), fin),
  badChunkHeader: (body: Bytes, at = half(body)): Answer =>
    raw(open(), chunk(part(body, at)), "zz\r\nrest\r\n0\r\n\r\n"),
  lengthTooLarge: (body: Bytes): Answer => raw(sized(body, 10), Buffer.from(body), fin),
  lengthTooSmall: (body: Bytes): Answer => raw(sized(body, -5), Buffer.from(body), pause(5), fin),
  lengthTooSmallInOnePacket: (body: Bytes): Answer =>
    raw(Buffer.concat([Buffer.from(sized(body, -5)), Buffer.from(body)]), pause(5), fin),
  gzipCut: (body: Bytes): Answer => {
    const bytes = compress.gzip(body);
    return text(bytes.subarray(0, half(bytes)), { headers: { "content-encoding": "gzip" } });
  },
  gzipCutWithoutLength: (body: Bytes): Answer => {
    const bytes = compress.gzip(body);
    return raw(closing({ "content-encoding": "gzip" }), bytes.subarray(0, half(bytes)), fin);
  },
  gzipGarbled: (body: Bytes): Answer => {
    const bytes = compress.gzip(body);
    bytes.fill(0xff, half(bytes), half(bytes) + 8);
    return text(bytes, { headers: { "content-encoding": "gzip" } });
  },
  stalledAfterHeaders: (body: Bytes): Answer => raw(sized(body), stall),
  stalledInBody: (body: Bytes, at = half(body)): Answer => raw(sized(body), part(body, at), stall),
  dripping: (body: Bytes, every: number): Answer => ({
    send: async (socket) => {
      const bytes = Buffer.from(body);
      await write(socket, sized(bytes));
      for (const byte of bytes) await raw(Uint8Array.of(byte), pause(every)).send(socket);
    },
  }),
} as const;

export const odd = {
  closeDelimited: (body: Bytes): Answer => raw(closing(), Buffer.from(body), fin),
  resetAfterTerminator: (body: Bytes): Answer => raw(open(), chunk(body), "0\r\n\r\n", reset),
  resetAfterLength: (body: Bytes): Answer => raw(sized(body), Buffer.from(body), reset),
  terminatorInPackets: (body: Bytes): Answer =>
    raw(open(), chunk(body), ...[..."0\r\n\r\n"].flatMap((byte) => [byte, pause(3)])),
  terminatorThenFin: (body: Bytes): Answer => raw(open(), chunk(body), "0\r\n\r\n", fin),
  byteByByte: (body: Bytes): Answer => chunked([...Buffer.from(body)].map((byte) => Uint8Array.of(byte))),
  /** Sends a good answer, after which the kept-alive connection closes at once. */
  closedAfterAnswer: (body: Bytes): Answer => raw(sized(body), Buffer.from(body), pause(1), fin),
  /** Sends interim answers before the real one. */
  informational: (body: Bytes): Answer =>
    raw("HTTP/1.1 102 X\r\n\r\nHTTP/1.1 103 X\r\nlink: </x>\r\n\r\n", sized(body), Buffer.from(body)),
  /** Sends a header twice, and no Content-Type. */
  strangeHeaders: (body: Bytes): Answer =>
    raw(`HTTP/1.1 200\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`, Buffer.from(body)),
  gzipTwoMembers: (body: Bytes): Answer => {
    const bytes = Buffer.from(body);
    const at = half(bytes);
    const members = [bytes.subarray(0, at), bytes.subarray(at)].map(compress.gzip);
    return text(Buffer.concat(members), { headers: { "content-encoding": "gzip" } });
  },
  gzipTrailingZeros: (body: Bytes): Answer =>
    text(Buffer.concat([compress.gzip(body), Buffer.alloc(16)]), { headers: { "content-encoding": "gzip" } }),
  /** Sends padding long after the end of the compressed data. */
  gzipPaddedLater: (body: Bytes): Answer => {
    const bytes = compress.gzip(body);
    const head = sized(Buffer.alloc(bytes.length + 16)).replace("\r\n\r\n", "\r\ncontent-encoding: gzip\r\n\r\n");
    return raw(head, Buffer.concat([bytes, Buffer.alloc(8)]), pause(30), Buffer.alloc(8));
  },
  gzipDeclaredButPlain: (body: Bytes): Answer => text(body, { headers: { "content-encoding": "gzip" } }),
} as const;

/** Returns a handler that gives these answers one after another, and the last one from then on. */
export function inTurn(...turns: readonly (Handler | Answer)[]): Handler {
  let calls = 0;
  return (request) => {
    const turn = turns[Math.min(calls, turns.length - 1)];
    calls += 1;
    return typeof turn === "function" ? turn(request) : turn;
  };
}

function head(options: AnswerOptions): string {
  return `HTTP/1.1 ${options.status ?? 200} X\r\n${lines({ "content-type": "application/json", ...options.headers })}\r\n`;
}

function lines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}

/** Returns a head with the length of the body, wrong by `lie`. */
const sized = (body: Bytes, lie = 0): string =>
  head({ headers: { "content-length": String(Buffer.byteLength(body) + lie) } });
/** Returns a head that announces chunks. */
const open = (options: AnswerOptions = {}): string =>
  head({ ...options, headers: { "transfer-encoding": "chunked", ...options.headers } });
/** Returns a head that announces neither a length nor chunks, so that the end of the connection ends the body. */
const closing = (headers: Readonly<Record<string, string>> = {}): string =>
  head({ headers: { connection: "close", ...headers } });

function chunk(body: Bytes): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

const half = (body: Bytes): number => Math.floor(Buffer.byteLength(body) / 2);
const part = (body: Bytes, at: number): Buffer => Buffer.from(body).subarray(0, at);

/** Resolves when the socket has room for more bytes, so that a slow client holds back an endless body. */
async function write(socket: Socket, bytes: Bytes): Promise<void> {
  if (socket.destroyed) throw new Error("the client has left");
  if (socket.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      socket.off("drain", done).off("close", done);
      resolve();
    };
    socket.on("drain", done).on("close", done);
  });
}
