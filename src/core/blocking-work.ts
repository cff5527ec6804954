import { closeSync, openSync, readSync, statSync } from "node:fs";
import { setImmediate as immediate } from "node:timers/promises";
import type { Cancellation } from "./cancellation.ts";

/** Maximum number of MiB that are read without the guard. Reading and decoding them takes a tenth of a second. */
const unguardedMebibytes = 16;

/**
 * Reads a file or a descriptor synchronously. The guard (see `guardBlockingWork`) runs the read if the source may block or if more
 * than 16 MiB are allowed. Throws if there are more than `maxMebibytes`: a device may never end.
 */
export function readWholeNow(path: string | number, maxMebibytes = unguardedMebibytes): Buffer {
  const isPipe = typeof path === "number" || statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
  const read = (): Buffer => readNow(path, maxMebibytes);
  return isPipe || maxMebibytes > unguardedMebibytes ? guard(read) : read();
}

function readNow(path: string | number, maxMebibytes: number): Buffer {
  const file = typeof path === "number" ? path : openSync(path, "r");
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
    if (file !== path) closeSync(file);
  }
}

type Guard = <T>(work: () => T) => T;

let guard: Guard = (work) => work();

/**
 * Runs work that may block the whole process for seconds, such as parsing a large text. In the command, a signal then ends the
 * process at once. So the work must not leave anything that needs to be removed. Rejects with the signal's reason if `signal` is
 * already aborted.
 */
export async function runBlocking<T>(work: () => T, signal: Cancellation): Promise<T> {
  await runSignalHandlers(signal);
  return guard(work);
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
