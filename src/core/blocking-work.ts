import { readFileSync, statSync } from "node:fs";
import { setImmediate as immediate } from "node:timers/promises";
import type { Cancellation } from "./cancellation.ts";

/** Reads a file or a descriptor synchronously. A pipe is read inside the guard that the command line has set. */
export function readWholeNow(path: string | number): Buffer {
  const isPipe = typeof path === "number" || statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
  return isPipe ? guard(() => readFileSync(path)) : readFileSync(path);
}

type Guard = <T>(work: () => T) => T;

let guard: Guard = (work) => work();

/**
 * Runs work that may block the whole process for seconds, such as parsing a large text. A signal then ends the process at once. The
 * work must leave nothing behind that would have to be removed. Rejects with the signal's reason if it is aborted already.
 */
export async function runBlocking<T>(work: () => T, signal: Cancellation): Promise<T> {
  await hearSignals(signal);
  return guard(work);
}

/** Lets the handlers of signals run, which wait while the process is busy. Rejects with the reason of a signal that has come. */
async function hearSignals(signal: Cancellation): Promise<void> {
  // The handler of a signal that has just come runs in the next turn of the event loop: this turn may have polled already.
  for (let turn = 0; turn < 2; turn += 1) await immediate();
  signal.throwIfAborted();
}

/** Number of items after which signals are heard. The plans of a thousand jobs take about 50 ms. */
const itemsBetweenSignals = 1000;

/** Yields items for work that may block the process if there are many. Lets signals be heard after every thousand items. */
export async function* hearingSignals<T>(items: Iterable<T>, signal: Cancellation): AsyncGenerator<T> {
  let count = 0;
  for (const item of items) {
    yield item;
    count += 1;
    if (count % itemsBetweenSignals === 0) await hearSignals(signal);
  }
}

/** Sets a function that runs work that may block the whole process. With it the command line lets signals end the process. */
export function guardBlockingWork(given: Guard): void {
  guard = given;
}
