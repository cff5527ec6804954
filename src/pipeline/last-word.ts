import { watchLoop } from "../core/dry-loop.ts";

export interface LastWordOptions<T> {
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
 * Settles as `work` does, and in any case: a run with nothing left to wait for is stopped, and a run that does not stop is given
 * up. No timer has to keep the process alive, since a dry event loop is noticed sooner.
 */
export function lastWord<T>(work: Promise<T>, { signal, timeoutMs, stall, giveUp }: LastWordOptions<T>): Promise<T> {
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
