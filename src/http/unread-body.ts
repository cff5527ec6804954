import { readBody } from "./body.ts";
import type { RawResponse, Timeouts } from "./client.ts";

/** Bytes read of a body that nobody wants, so that its connection can be used again. */
const worthReading = 65_536;
/** Longer than this (ms) nobody waits for such a body. */
const patience = 2_000;

function patienceOf(timeouts: Timeouts): number {
  return timeouts.idle === 0 ? patience : Math.min(timeouts.idle, patience);
}

/**
 * Reads a body away in the background, or drops the connection where that would take long. Resolves when it is read, so
 * that its connection is free for the next request; one that is under way still is not waited for.
 */
export function discard(response: RawResponse, timeouts: Timeouts): Promise<void> {
  const { stream } = response;
  if (stream.destroyed) return Promise.resolve();
  let bytes = 0;
  const drop = (): void => response.abort(new Error("not wanted"));
  const timer = setTimeout(drop, patienceOf(timeouts));
  const settle = (): void => {
    clearTimeout(timer);
    response.done();
  };
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > worthReading) drop();
  });
  stream.on("end", settle).on("close", settle).on("error", settle);
  return new Promise((resolve) => {
    stream.on("close", resolve);
    setImmediate(() => setImmediate(resolve));
  });
}

/** Bytes of an error's body that are read to show its beginning. */
const excerptBytes = 4096;

/** The beginning of an error's body as text, decoded as far as that works; the rest is dropped. May it be cut off? */
export async function excerpt(
  response: RawResponse,
  timeouts: Timeouts,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  const timer = setTimeout(() => response.abort(new Error("too slow")), patienceOf(timeouts));
  try {
    for await (const chunk of readBody(response, { idle: 0, maxBytes: undefined, where: () => "" })) {
      chunks.push(chunk);
      bytes += chunk.length;
      isCut = bytes >= excerptBytes;
      if (isCut) break;
    }
  } catch {
    // What is broken here says less than the status does.
    isCut = true;
    response.abort(new Error("not wanted"));
  } finally {
    clearTimeout(timer);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  // A character cut in its middle says nothing.
  return { text: isCut ? text.replace(/\uFFFD{1,3}$/, "") : text, isCut };
}

/** The body of a response that has none; it ends when `over` is resolved. */
export function noBody(over: Promise<void>): AsyncIterable<Buffer> {
  const end = { done: true, value: undefined } as const;
  return { [Symbol.asyncIterator]: () => ({ next: () => over.then(() => end) }) };
}
