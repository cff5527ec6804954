import { type ChooseCompression, Decompressor } from "../../core/decompression.ts";
import { messageOf, SpileError } from "../../core/errors.ts";
import type { RequestClock } from "../../core/runs/account.ts";
import type { RawResponse } from "../connection/client.ts";
import { faultOf, TransportFault } from "../connection/fault.ts";
import { type Transcoder, transcoder } from "./charset.ts";
import { compressionOf } from "./decode.ts";

export interface BodyOptions {
  /** Longest wait for a byte, in ms; 0 for no limit. */
  readonly idle: number;
  /** Maximum size after decoding; undefined for no limit. */
  readonly maxBytes: number | undefined;
  /** Returns "GET url", for errors. */
  readonly where: () => string;
  /** Charset that overrides the one of the Content-Type. */
  readonly charset?: string | undefined;
  /** Measures the waits for chunks. */
  readonly clock?: RequestClock | undefined;
}

/**
 * Returns the body of a response as UTF-8 without a byte order mark: content encoding and charset are decoded. Reading
 * rejects with TransportFault if the message is incomplete or cannot be decoded, with SpileError (data) beyond
 * `maxBytes`, and with the signal's reason after an abort. A reader that leaves early drops the connection. Throws
 * SpileError (data) for an unknown encoding or charset.
 */
export function readBody(response: RawResponse, options: BodyOptions): AsyncIterable<Buffer> {
  return new BodyReader(response, options);
}

/** Number of chunks that may wait for a slow reader before the connection is paused. */
const maxQueued = 4;

type Result = IteratorResult<Buffer, undefined>;

interface Waiting {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads a body by events. Reading the stream as an async iterable would cost a quarter more CPU. */
class BodyReader implements AsyncIterableIterator<Buffer, undefined> {
  readonly #response: RawResponse;
  readonly #options: BodyOptions;
  readonly #choose: ChooseCompression | undefined;
  readonly #text: Transcoder;
  #decoder: Decompressor | undefined;
  /** Number of received chunks that are not decoded yet. */
  #undecoded = 0;
  /** Decoded chunks that were not requested yet. */
  readonly #queue: Buffer[] = [];
  /** The reader that waits for the next chunk. */
  #waiting: Waiting | undefined;
  #paused = false;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  /** Number of bytes received, and number of bytes decoded. */
  #rawBytes = 0;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(response: RawResponse, options: BodyOptions) {
    this.#response = response;
    this.#options = options;
    this.#choose = compressionOf(response.header("content-encoding"), options.where);
    this.#text = transcoder(response.header("content-type"), options.where, options.charset);
    const { stream } = response;
    stream.on("error", (error) => this.#broken(error));
    // The stream may have broken off while the headers were examined.
    if (stream.destroyed) this.#closed();
    else stream.on("close", () => this.#closed());
    // The listeners are added immediately: if the connection broke first, bytes that have already arrived would be lost.
    stream.on("data", (chunk: Buffer) => this.#receive(chunk));
    stream.on("end", () => (this.#decoder === undefined ? this.#finish() : this.#decoder.end(() => this.#finish())));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    const value = this.#queue.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    this.#arm();
    this.#options.clock?.waits();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (!this.#paused) return;
      this.#paused = false;
      (this.#decoder ?? this.#response.stream).resume();
    });
  }

  return(): Promise<Result> {
    if (!this.#ended) this.#drop(new Error("the reader has stopped reading"));
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Takes a received chunk, and decodes it. */
  #receive(chunk: Buffer): void {
    if (this.#rawBytes === 0) this.#decoder = this.#decode(chunk[0] ?? 0);
    this.#rawBytes += chunk.length;
    const decoder = this.#decoder;
    if (decoder === undefined) return void this.#deliver(this.#text.push(chunk));
    const { stream } = this.#response;
    this.#undecoded += 1;
    if (this.#undecoded === maxQueued) stream.pause();
    decoder.write(chunk, () => {
      if (this.#undecoded === maxQueued) stream.resume();
      this.#undecoded -= 1;
    });
  }

  #decode(first: number): Decompressor | undefined {
    const choose = this.#choose;
    if (choose?.(first) === undefined) return undefined;
    return new Decompressor(choose, {
      // Only decoded bytes end the wait for a chunk: an API could send empty compressed blocks for ever.
      data: (chunk) => this.#deliver(this.#text.push(chunk)),
      error: (error) => {
        const cut = this.#response.stream.readableEnded ? this.#response.fault(this.#rawBytes) : undefined;
        const text = `the compressed body cannot be decoded: ${messageOf(error)}`;
        this.#drop(cut ?? new TransportFault(text, { cause: error }));
      },
    });
  }

  /** Gives a decoded chunk to the reader that waits, or keeps it. */
  #deliver(chunk: Buffer): void {
    if (chunk.length === 0) return;
    const { maxBytes, where } = this.#options;
    this.#bytes += chunk.length;
    if (maxBytes !== undefined && this.#bytes > maxBytes) {
      const limit = `is longer than the limit of ${maxBytes} bytes (--max-response-bytes)`;
      this.#drop(new SpileError("data", `${where()}: the response ${limit}`));
    } else if (this.#waiting !== undefined) {
      this.#endWait()?.resolve({ done: false, value: chunk });
    } else {
      this.#queue.push(chunk);
      if (this.#queue.length < maxQueued) return;
      this.#paused = true;
      (this.#decoder ?? this.#response.stream).pause();
    }
  }

  /** Ends the body. After a failure no reader is waiting, and `next` reports the failure. */
  #finish(): void {
    const fault = this.#response.fault(this.#rawBytes);
    if (fault !== undefined) this.#fail(fault);
    else this.#deliver(this.#text.end());
    this.#ended = true;
    this.#settle();
    this.#endWait()?.resolve({ done: true, value: undefined });
  }

  #closed(): void {
    const { stream } = this.#response;
    if (!stream.readableEnded) this.#broken(new TransportFault("the connection closed in mid-body"));
  }

  #broken(error: unknown): void {
    const aborted = this.#response.aborted();
    if (aborted !== undefined) this.#fail(aborted.reason);
    else this.#fail(this.#response.fault(this.#rawBytes) ?? faultOf(error, this.#options.where()));
  }

  #drop(error: Error): void {
    this.#fail(error);
    this.#response.abort(error);
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined || this.#ended) return;
    this.#failure = { error };
    this.#decoder?.destroy();
    this.#settle();
    this.#endWait()?.reject(error);
  }

  /** Ends the wait for a chunk, and returns the waiting reader. */
  #endWait(): Waiting | undefined {
    const waiting = this.#waiting;
    if (waiting !== undefined) this.#options.clock?.received();
    this.#waiting = undefined;
    return waiting;
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#response.done();
  }

  /**
   * Restarts the timer of the body for each wait. There is only one timer, which has no effect if it fires while nobody waits for
   * a chunk.
   */
  #arm(): void {
    const { idle } = this.#options;
    if (idle === 0) return;
    if (this.#timer !== undefined) return void this.#timer.refresh();
    const expire = (expected: Waiting | undefined): void => {
      if (expected === undefined || this.#waiting !== expected) return;
      this.#drop(new TransportFault(`no byte of the body came within ${idle / 1000} s`));
    };
    this.#timer = setTimeout(() => {
      const reader = this.#waiting;
      // If the event loop was blocked for long, the bytes may have arrived but are still to be read.
      setImmediate(() => setImmediate(expire, reader));
    }, idle);
  }
}
