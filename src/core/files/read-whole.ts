import { constants, openSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

/**
 * Reads a file whole. A named pipe that is silent, or that nobody writes to, is waited for without a call of the system that
 * blocks: such a call would keep the process from ending at a signal. Rejects with the reason of the signal.
 */
export async function readWhole(path: string, signal?: AbortSignal): Promise<Buffer> {
  const isPipe = (await stat(path).catch(() => undefined))?.isFIFO() === true;
  return isPipe ? readStream(openPipe(path), signal) : readFile(path);
}

/** Reads a stream to its end. Rejects with the reason of the signal. */
export async function readStream(stream: Readable, signal?: AbortSignal): Promise<Buffer> {
  try {
    return await buffer(signal === undefined ? stream : addAbortSignal(signal, stream));
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

function openPipe(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}
