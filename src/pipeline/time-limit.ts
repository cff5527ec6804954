import { SpileError } from "../core/errors.ts";
import { callAfter } from "../core/timer.ts";

/** A signal that is also aborted when the run has taken too long. `end` stops the clock. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  end(): void;
}

/** Limits a run by `maxTime` (ms). The abort's reason is a temporary failure, since running again later may help. */
export function limitTime(signal: AbortSignal, maxTime: number | undefined): TimeLimit {
  if (maxTime === undefined) return { signal, end: () => undefined };
  const controller = new AbortController();
  const text = `the run has taken longer than --max-time of ${maxTime / 1000} s and was stopped; the written lines are kept`;
  const stop = (): void => controller.abort(new SpileError("temporary", text));
  // The timer does not keep the process alive. So the event loop runs dry if the run has nothing else to wait for, and the run
  // ends sooner.
  return { signal: AbortSignal.any([signal, controller.signal]), end: callAfter(maxTime, stop) };
}
