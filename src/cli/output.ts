import type { Writable } from "node:stream";
import { guardBlockingWork } from "../core/blocking-work.ts";
import { unlessDry } from "../core/dry-loop.ts";
import { exitCodes, messageOf, SpileError } from "../core/errors.ts";
import { callAfter } from "../core/timer.ts";

/** Writes text to stdout and waits until the system has taken it. Throws `closedPipe` (141) or `output` (74) errors. */
export function print(text: string, stdout: Writable): Promise<void> {
  if (text === "") return Promise.resolve();
  return new Promise((resolve, reject) => {
    stdout.write(text, (error) => {
      if (error) loadPendingFile().then(({ outputError }) => reject(outputError(error, "stdout")), reject);
      else resolve();
    });
  });
}

/**
 * Loads the functions for files only when they are needed: the modules of Node that they import take 7 of the 20 ms of a command
 * that only prints.
 */
const loadPendingFile = (): Promise<typeof import("../core/files/pending-file.ts")> =>
  import("../core/files/pending-file.ts");

/** Writes a whole text to the file of `--output`, or to stdout. Throws as `print` does. */
export async function deliver(text: string, output: string | undefined, stdout: Writable): Promise<void> {
  await (output === undefined || output === "-"
    ? print(text, stdout)
    : (await loadPendingFile()).replaceFile(output, text));
}

/**
 * Writes all output and then ends the process. A pipe takes 64 KiB at a time, and `process.exit` would drop the rest. A stream
 * that has failed is not waited for.
 */
export async function exit(code: number): Promise<never> {
  const dry = (): SpileError =>
    new SpileError("bug", "the output was not written, and the process has nothing left to wait for");
  try {
    await unlessDry(Promise.all([flush(process.stdout), flush(process.stderr)]), dry);
  } catch (error) {
    process.stderr.write(`error ${messageOf(error)}\n`);
    process.exit(code === exitCodes.success ? exitCodes.bug : code);
  }
  process.exit(code);
}

function flush(stream: Writable): Promise<void> {
  if (stream.writableLength === 0 || stream.destroyed || stream.errored) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("error", () => resolve());
    stream.once("close", () => resolve());
    stream.write("", () => resolve());
  });
}

/** Time in milliseconds that a run, and a write in progress, have to end after a signal (contract P1). */
const graceMs = 150;
/** Time in milliseconds, after the grace, for reporting the signal. */
const reportMs = 20;

/** Time in milliseconds for the reader to take the written lines after `--max-time` is over. */
const closeTimeoutMs = 2000;

/**
 * Ends the process if the run has not ended `closeTimeoutMs` after `maxTime` (milliseconds). The usual cause is a reader of stdout
 * that does not read. If the process itself was blocked, it gets `closeTimeoutMs` once more to write its lines and to end.
 */
export function limitExit(
  maxTime: number,
  stdout: Pick<Writable, "writableLength">,
  reportError: (error: SpileError) => void,
): void {
  const end = (): void => {
    const message =
      stdout.writableLength > 0
        ? "the reader of stdout has not taken all lines within --max-time; the last line may be incomplete"
        : `the run has not ended within ${closeTimeoutMs / 1000} s after --max-time`;
    reportError(new SpileError("temporary", message));
    process.exit(exitCodes.temporary);
  };
  const endAfter = (ms: number, orElse: () => void): void => {
    const due = performance.now() + ms;
    const endUnlessLate = (): void => (performance.now() > due + graceMs ? orElse() : end());
    callAfter(ms, endUnlessLate);
  };
  endAfter(maxTime + closeTimeoutMs, () => endAfter(closeTimeoutMs, end));
}

/** Number of timer ticks that make the grace. */
const graceTicks = 15;

/**
 * Calls `end` after the grace. The grace is counted in ticks of a timer, because a timer does not tick while the process is busy
 * with the end of its run, or gets no time from the system. Such a process must still get the time to write its summary.
 */
function afterGrace(end: () => void): void {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks < graceTicks) return;
    clearInterval(timer);
    end();
  }, graceMs / graceTicks);
}

/**
 * Makes the first SIGHUP, SIGINT or SIGTERM abort the run. If something still hangs after the grace, `giveUp` reports the signal,
 * and the process ends. A second signal ends the process at once (contract C-9.2).
 */
export function watchSignals(abort: (reason: SpileError) => void, giveUp: (reason: SpileError) => void): void {
  let isStopping = false;
  const listeners = signals.map(({ signal, kind }) => {
    const listener = (): void => {
      if (isStopping) process.exit(exitCodes[kind]);
      isStopping = true;
      const reason = new SpileError(kind, `stopped by ${signal}`);
      afterGrace(() => {
        giveUp(reason);
        setTimeout(() => process.exit(exitCodes[kind]), reportMs);
      });
      abort(reason);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  // While the process is blocked, no signal handler can run. So the handlers are removed: a signal then ends the process.
  let isBlocked = false;
  guardBlockingWork((work) => {
    if (isBlocked) return work();
    isBlocked = true;
    for (const { signal, listener } of listeners) process.off(signal, listener);
    try {
      return work();
    } finally {
      isBlocked = false;
      for (const { signal, listener } of listeners) process.on(signal, listener);
    }
  });
}

const signals = [
  { signal: "SIGHUP", kind: "hangup" },
  { signal: "SIGINT", kind: "interrupted" },
  { signal: "SIGTERM", kind: "terminated" },
] as const;
