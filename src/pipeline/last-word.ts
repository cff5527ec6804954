import { watchLoop } from "../core/dry-loop.ts";

export interface LastWordOptions<T> {
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  /** Milliseconds that the run gets to end by itself after that. */
  readonly patience: number;
  /** Ends the run by aborting the signal: the event loop has run dry. */
  stall(): void;
  /** Gives up a run that does not end, and answers what it has come to. */
  giveUp(): T;
}

/**
 * Settles as `work` does, and in any case: a run for which nothing is left to wait for is stopped; one that does not stop
 * when it is told to is given up. Needs no timer to stay awake: an event loop that runs dry says it sooner.
 */
export function lastWord<T>(work: Promise<T>, { signal, patience, stall, giveUp }: LastWordOptions<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const abandon = (): void => {
      end();
      resolve(giveUp());
    };
    const hurry = (): void => {
      timer = setTimeout(abandon, patience).unref();
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
