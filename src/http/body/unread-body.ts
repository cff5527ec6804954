import type { RawResponse, Timeouts } from "../connection/client.ts";
import { readBody } from "./body.ts";

/** Maximum number of bytes that are read from an unwanted body so that its connection can be reused. */
const maxDrainedBytes = 65_536;
/** Longest time that reading an unwanted body may take, in ms. */
const drainTimeoutMs = 2_000;

function drainTimeoutOf(timeouts: Timeouts): number {
  return timeouts.idle === 0 ? drainTimeoutMs : Math.min(timeouts.idle, drainTimeoutMs);
}

/**
 * Reads an unwanted body in the background, or drops the connection if that would take long. Resolves when the body has been read,
 * so that its connection is free for the next request, but after two turns of the event loop at the latest.
 */
export function discard(response: RawResponse, timeouts: Timeouts): Promise<void> {
  const { stream } = response;
  if (stream.destroyed) return Promise.resolve();
  let bytes = 0;
  const drop = (): void => response.abort(new Error("not wanted"));
  const timer = setTimeout(drop, drainTimeoutOf(timeouts));
  const settle = (): void => {
    clearTimeout(timer);
    response.done();
  };
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxDrainedBytes) drop();
  });
  stream.on("end", settle).on("close", settle).on("error", settle);
  return new Promise((resolve) => {
    stream.on("close", resolve);
    setImmediate(() => setImmediate(resolve));
  });
}

/** Number of bytes that are read from the body of an error to show its beginning. */
const excerptBytes = 4096;

/**
 * Returns the beginning of an error's body as text, decoded as far as possible, and whether it may be cut off. The rest
 * is dropped.
 */
export async function excerpt(
  response: RawResponse,
  timeouts: Timeouts,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  const timer = setTimeout(() => response.abort(new Error("too slow")), drainTimeoutOf(timeouts));
  try {
    for await (const chunk of readBody(response, { idle: 0, maxBytes: undefined, where: () => "" })) {
      chunks.push(chunk);
      bytes += chunk.length;
      isCut = bytes >= excerptBytes;
      if (isCut) break;
    }
  } catch {
    // A fault in the body is ignored, because the status of the response says more.
    isCut = true;
    response.abort(new Error("not wanted"));
  } finally {
    clearTimeout(timer);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  // A character that was cut off after some of its bytes is left out.
  return { text: isCut ? text.replace(/\uFFFD{1,3}$/, "") : text, isCut };
}

/** Returns an empty body, which ends when `ended` resolves. */
export function noBody(ended: Promise<void>): AsyncIterable<Buffer> {
  const end = { done: true, value: undefined } as const;
  return { [Symbol.asyncIterator]: () => ({ next: () => ended.then(() => end) }) };
}
