import { closeSync, openSync, readSync, statSync } from "node:fs";
import { setImmediate as immediate } from "node:timers/promises";
import type { Cancellation } from "./cancellation.ts";
import { readStream, readWhole } from "./files/read-whole.ts";

/** Maximum number of MiB that are read without the guard. Reading and decoding them takes a tenth of a second. */
const unguardedMebibytes = 16;

/**
 * Reads a file synchronously, or stdin for `-`. The guard (see `guardBlockingWork`) runs the read of a pipe, and any read for which
 * more than 16 MiB are allowed. Within `runBlocking`, throws UnreadPipe for a pipe, which may be silent: `runBlocking` reads it.
 * Throws if there are more than `maxMebibytes`, since a device may never end.
 */
export function readWholeNow(path: string, maxMebibytes = unguardedMebibytes): Buffer {
  const isPipe = path === "-" || statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
  const piped = pipes.get(path);
  if (isPipe && piped !== undefined) {
    if (piped instanceof Error) throw piped;
    return piped;
  }
  if (isPipe && isBlocking) throw new UnreadPipe(path, maxMebibytes);
  const read = (): Buffer => readNow(path, maxMebibytes);
  return isPipe || maxMebibytes > unguardedMebibytes ? guard(read) : read();
}

/** Thrown by `readWholeNow` within `runBlocking`, which then reads the pipe and repeats its work. No other code may catch it. */
export class UnreadPipe extends Error {
  readonly path: string;
  readonly maxMebibytes: number;

  constructor(path: string, maxMebibytes: number) {
    super(`${path} is a pipe that was not read`);
    this.path = path;
    this.maxMebibytes = maxMebibytes;
  }
}

/** The bytes of pipes that were read, and the errors of those that could not be read. */
const pipes = new Map<string, Buffer | Error>();

/** True while `runBlocking` runs its work. */
let isBlocking = false;

function readNow(path: string, maxMebibytes: number): Buffer {
  const file = path === "-" ? 0 : openSync(path, "r");
  try {
    const chunks: Buffer[] = [];
    for (let length = 0; ; ) {
      const chunk = Buffer.allocUnsafe(2 ** 16);
      const count = readSync(file, chunk, 0, chunk.length, null);
      if (count === 0) return Buffer.concat(chunks);
      length += count;
      if (length > maxMebibytes * 2 ** 20) throw new Error(`it has more than ${maxMebibytes} MiB`);
      chunks.push(chunk.subarray(0, count));
    }
  } finally {
    if (file !== 0) closeSync(file);
  }
}

type Guard = <T>(work: () => T) => T;

let guard: Guard = (work) => work();

/**
 * Runs work that may block the whole process for seconds, such as parsing a large text. In the command, a signal then ends the
 * process at once. So the work must not leave anything that needs to be removed. The work may read pipes: it is repeated after each
 * of them. Rejects with the signal's reason if `signal` is already aborted.
 */
export async function runBlocking<T>(work: () => T, signal: AbortSignal): Promise<T> {
  for (;;) {
    await runSignalHandlers(signal);
    try {
      isBlocking = true;
      return guard(work);
    } catch (error) {
      if (!(error instanceof UnreadPipe)) throw error;
      const { path, maxMebibytes } = error;
      const read =
        path === "-" ? readStream(process.stdin, signal, maxMebibytes) : readWhole(path, signal, maxMebibytes);
      // The repeated work reports an error of the pipe.
      pipes.set(path, await read.catch((reason: Error) => reason));
    } finally {
      isBlocking = false;
    }
  }
}

/**
 * Lets pending signal handlers run. They cannot run while the process is busy. Rejects with the signal's reason if a handler aborts
 * `signal`.
 */
async function runSignalHandlers(signal: Cancellation): Promise<void> {
  // A handler runs in the turn of the event loop after its signal was polled, and this turn may already have polled. So two turns
  // are needed.
  for (let turn = 0; turn < 2; turn += 1) await immediate();
  signal.throwIfAborted();
}

/**
 * Signal handlers get a chance to run after this number of items, and after the first item that ends later than this number of ms.
 */
const betweenSignals = { items: 1000, ms: 20 };

/** Yields items for work that may block the process if there are many. Lets signal handlers run between items. */
export async function* withSignalTurns<T>(items: Iterable<T>, signal: Cancellation): AsyncGenerator<T> {
  let count = 0;
  let began = performance.now();
  for (const item of items) {
    yield item;
    count += 1;
    if (count % betweenSignals.items !== 0 && performance.now() - began < betweenSignals.ms) continue;
    await runSignalHandlers(signal);
    began = performance.now();
  }
}

/**
 * Sets the guard, which runs every piece of work that may block the whole process. The command line sets one that ends the
 * process at a signal.
 */
export function guardBlockingWork(newGuard: Guard): void {
  guard = newGuard;
}
