import { watchLoop } from "../core/dry-loop.ts";

export interface SettlingOptions<T> {
  /** Aborted when the work must end. */
  readonly signal: AbortSignal;
  /** Milliseconds after the abort in which the work may end by itself. */
  readonly timeoutMs: number;
  /** Called when the event loop has run dry: nothing is left that could settle the work. Must abort the signal. */
  stall(): void;
  /** Gives up the work, and returns its result so far. */
  giveUp(): T;
}

/**
 * Settles as `work` does. If the event loop runs dry before, calls `stall`. If it runs dry again, or `timeoutMs` after the abort,
 * settles with the result of `giveUp`. The timer need not keep the process alive, because a dry event loop is noticed sooner.
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
