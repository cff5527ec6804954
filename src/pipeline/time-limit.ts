import { SpileError } from "../core/errors.ts";

/** A signal that is also aborted when the run has taken too long; `end` forgets the time. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  end(): void;
}

/** Bounds a run by `maxTime` (ms): the reason of the abort is a temporary failure, as running again later may help. */
export function limitTime(signal: AbortSignal, maxTime: number | undefined): TimeLimit {
  if (maxTime === undefined) return { signal, end: () => undefined };
  const over = new AbortController();
  const text = `the run has taken longer than --max-time of ${maxTime / 1000} s and was stopped; lines written stay`;
  const stop = (): void => over.abort(new SpileError("temporary", text));
  // Node's timers end at 24 days. It keeps nothing awake: a run that has nothing left to wait for ends sooner.
  const timer = setTimeout(stop, Math.min(maxTime, 2 ** 31 - 1)).unref();
  return { signal: AbortSignal.any([signal, over.signal]), end: () => clearTimeout(timer) };
}
