import { watchLoop } from "../core/dry-loop.ts";

export interface SettlingOptions<T> {
  /** Aborted when the run must end. */
  readonly signal: AbortSignal;
  /** Milliseconds that the run then gets to end by itself. */
  readonly timeoutMs: number;
  /** Aborts the signal, because the event loop has run dry. */
  stall(): void;
  /** Gives up a run that does not end, and returns its result so far. */
  giveUp(): T;
}

/**
 * Settles as `work` does, or else with the result of `giveUp`: a run with nothing left to wait for is stopped, and a run that
 * does not stop is given up. This needs no timer that keeps the process alive, because a dry event loop is noticed sooner.
 */
export function alwaysSettled<T>(
  work: Promise<T>,
  { signal, timeoutMs, stall, giveUp }: SettlingOptions<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const abandon = (): void => {
      end();
      resolve(giveUp());
    };
    const hurry = (): void => {
      timer = setTimeout(abandon, timeoutMs).unref();
    };
    const endings = [watchLoop(abandon), watchLoop(stall)];
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", hurry);
      for (const ending of endings) ending();
    };
    if (signal.aborted) hurry();
    else signal.addEventListener("abort", hurry);
    work.finally(end).then(resolve, reject);
  });
}
