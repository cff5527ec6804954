import { Readable } from "node:stream";
import { Decompressor } from "../../core/decompression.ts";
import { SpileError } from "../../core/errors.ts";
import type { WireRequest } from "../../core/requests/request.ts";
import { headerOf, type Transport, type WholeResponse } from "../../core/requests/transport.ts";
import { maxDelay } from "../../core/timer.ts";
import type { RawResponse } from "../connection/client.ts";
import { TransportFault } from "../connection/fault.ts";
import { knownCompression } from "./decode.ts";

export interface WholeOptions {
  /** Longest time without a byte, in ms; 0 is no limit. */
  readonly idle: number;
  /** Maximum number of bytes that are read into memory; 1 GiB if undefined. */
  readonly maxBytes: number | undefined;
}

/**
 * Sends one request through a transport, and returns its answer in the form of a response from the network. A body beyond
 * `Transport.bound` is not read into memory: if the bound has `refuse`, its error is thrown. Otherwise the transport gets an answer
 * without the body, and if it returns that answer, the response reads the body from the network.
 */
export async function sendThrough(
  transport: Transport,
  wire: WireRequest,
  send: () => Promise<RawResponse>,
  { idle, maxBytes = 2 ** 30 }: WholeOptions,
): Promise<RawResponse> {
  const { bound } = transport;
  let long: { readonly answer: WholeResponse; readonly response: RawResponse } | undefined;
  const answer = await transport(wire, async () => {
    const response = await send();
    if (bound === undefined) return readWhole(response, idle, { maxBytes, refuse: tooLong });
    const read = await readUpTo(response, idle, { maxBytes: bound.bytes, decoded: true });
    if (read.isWhole) return wholeResponse(response, read);
    if (bound.refuse !== undefined) throw ended(response, bound.refuse());
    const { status, headers, framed } = response;
    const answerWithoutBody: WholeResponse = { status, headers, body: Buffer.alloc(0), framed, hasNoBody: true };
    long = { answer: answerWithoutBody, response: continued(response, read.chunks) };
    return answerWithoutBody;
  });
  return long !== undefined && long.answer === answer ? long.response : asRawResponse(answer);
}

function tooLong(maxBytes: number): SpileError {
  return new SpileError("data", `a response is longer than ${maxBytes} bytes, the most that is read into memory`);
}

/** Maximum size of a body, encoded and decoded, that a rule can examine. */
export const longestJudged = 16 * 1024 * 1024;

/** Reads a response to its end, as `readWhole` does. Returns a function that replays the response any number of times. */
export async function replayable(response: RawResponse, idle: number): Promise<() => RawResponse> {
  const whole = await readWhole(response, idle, { maxBytes: longestJudged, refuse: tooLong });
  return () => asRawResponse(whole);
}

/** Reads a response to its end. Rejects with TransportFault if it is incomplete, with the error of `refuse` if it is too long. */
async function readWhole(
  response: RawResponse,
  idle: number,
  { maxBytes, refuse }: { readonly maxBytes: number; readonly refuse: (maxBytes: number) => SpileError },
): Promise<WholeResponse> {
  const read = await readUpTo(response, idle, { maxBytes, decoded: false });
  if (!read.isWhole) throw ended(response, refuse(maxBytes));
  return wholeResponse(response, read);
}

/** Drops a response, and returns the reason. */
function ended(response: RawResponse, reason: SpileError): SpileError {
  response.abort(reason);
  response.done();
  return reason;
}

function wholeResponse(response: RawResponse, { chunks, bytes }: ReadBytes): WholeResponse {
  response.done();
  const fault = response.fault(bytes);
  if (fault !== undefined) throw fault;
  const { status, headers, framed } = response;
  const reset = response.isReset() ? { reset: true } : {};
  return { status, headers, body: Buffer.concat(chunks), framed, ...reset };
}

/** The bytes of a body that were read. `isWhole`: false if more than the maximum came. */
interface ReadBytes {
  readonly chunks: Buffer[];
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** Reads a body up to `maxBytes`. If `decoded` is true, the bytes after decoding count, too. */
async function readUpTo(
  response: RawResponse,
  idle: number,
  { maxBytes, decoded }: { readonly maxBytes: number; readonly decoded: boolean },
): Promise<ReadBytes> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const expire = (): void => response.abort(new TransportFault(`no byte of the body came within ${idle / 1000} s`));
  const timer = idle === 0 ? undefined : setTimeout(expire, Math.min(idle, maxDelay));
  const decodesTooMuch = decoded ? decodedMeter(response.header("content-encoding"), maxBytes) : undefined;
  try {
    for await (const chunk of response.stream.iterator({ destroyOnReturn: false })) {
      timer?.refresh();
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes || (await decodesTooMuch?.(chunk))) return { chunks, bytes, isWhole: false };
    }
    return { chunks, bytes, isWhole: true };
  } catch (error) {
    const reason = response.aborted()?.reason ?? response.fault(bytes) ?? error;
    response.abort(reason);
    response.done();
    throw reason;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns a function that decodes one chunk after another, and returns whether more than `maxBytes` came out: a small answer can
 * become a large one. Undefined if the body is not compressed, or in an unknown way. Bytes that cannot be decoded do not count.
 */
function decodedMeter(
  encoding: string | undefined,
  maxBytes: number,
): ((chunk: Buffer) => Promise<boolean>) | undefined {
  const choose = knownCompression(encoding);
  if (choose === undefined) return undefined;
  let bytes = 0;
  let isEnded = false;
  let settle: (isTooMuch: boolean) => void = () => undefined;
  const end = (isTooMuch: boolean): void => {
    isEnded = true;
    settle(isTooMuch);
  };
  const decoder = new Decompressor(choose, {
    data(chunk) {
      bytes += chunk.length;
      if (bytes <= maxBytes || isEnded) return;
      decoder.destroy();
      end(true);
    },
    error: () => end(false),
  });
  return (chunk) =>
    new Promise((resolve) => {
      if (isEnded) return resolve(false);
      settle = resolve;
      decoder.write(chunk, () => resolve(false));
    });
}

/** Returns a response that gives the chunks that were already read, then the rest of the body. */
function continued(response: RawResponse, chunks: Buffer[]): RawResponse {
  async function* whole(): AsyncGenerator<Buffer> {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk;
    yield* response.stream;
  }
  const stream = Readable.from(whole(), { objectMode: false });
  stream.on("error", () => undefined);
  const { status, headers, cookies, framed, length } = response;
  return {
    status,
    headers,
    header: (name) => response.header(name),
    cookies,
    stream,
    framed,
    length,
    fault: (bytes) => response.fault(bytes),
    isReset: () => response.isReset(),
    abort(reason) {
      response.abort(reason);
      stream.destroy(reason instanceof Error ? reason : new Error(String(reason)));
    },
    aborted: () => response.aborted(),
    done: () => response.done(),
  };
}

function asRawResponse(whole: WholeResponse): RawResponse {
  const { status, headers, body, framed = true, reset = false } = whole;
  const stream = Readable.from(body.length === 0 ? [] : [body], { objectMode: false });
  // An abort before anybody reads the body must not be an uncaught error. Node treats a message from the network in the same way.
  stream.on("error", () => undefined);
  let aborted: { readonly reason: unknown } | undefined;
  return {
    status,
    headers,
    header: (name) => headerOf(whole, name),
    cookies: headers.filter(([name]) => name.toLowerCase() === "set-cookie").map(([, value]) => value),
    stream,
    framed,
    length: framed ? body.length : undefined,
    fault: (bytes) =>
      bytes === body.length ? undefined : new TransportFault(`the body ended after ${bytes} bytes of ${body.length}`),
    isReset: () => reset,
    abort(reason) {
      aborted ??= { reason };
      stream.destroy(reason instanceof Error ? reason : new Error(String(reason)));
    },
    aborted: () => aborted,
    done: () => undefined,
  };
}
