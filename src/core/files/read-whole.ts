import { constants, createReadStream, openSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";

/** Maximum number of bytes that are read from a device, which may never end (/dev/zero). */
const maxDeviceBytes = 2 ** 24;

/**
 * Reads a whole file. Never makes a blocking system call on a named pipe: if nobody writes to the pipe, such a call would keep the
 * process from ending at a signal. An abort ends the read of a pipe or a device, which then rejects with the signal's reason.
 * `maxMebibytes` limits only a pipe.
 */
export async function readWhole(path: string, signal?: AbortSignal, maxMebibytes?: number): Promise<Buffer> {
  const file = await stat(path).catch(() => undefined);
  if (file?.isFIFO() === true) return readStream(openPipe(path), signal, maxMebibytes);
  return file?.isCharacterDevice() === true ? readDevice(path, signal) : readFile(path);
}

async function readDevice(path: string, signal?: AbortSignal): Promise<Buffer> {
  const bytes = await readStream(createReadStream(path, { end: maxDeviceBytes }), signal);
  if (bytes.length > maxDeviceBytes) throw new Error(`it is a device with more than ${maxDeviceBytes} bytes`);
  return bytes;
}

/** Reads a stream to its end. Rejects with the signal's reason if the signal is aborted, and if there are more than `maxMebibytes`. */
export async function readStream(
  stream: Readable,
  signal?: AbortSignal,
  maxMebibytes = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of signal === undefined ? stream : addAbortSignal(signal, stream)) {
      chunks.push(Buffer.from(chunk));
      length += chunk.length;
      if (length > maxMebibytes * 2 ** 20) throw new Error(`it has more than ${maxMebibytes} MiB`);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

function openPipe(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}
