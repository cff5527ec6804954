import type { Step } from "./step.ts";

/** The longest wait (ms) that grows by itself. */
const slowest = 60_000;

/** The pace at which a step is asked again; times in milliseconds. */
export interface Pace {
  readonly timeout: number;
  /** Waits so far. */
  readonly count: number;
  /** Time has passed beside the waits. */
  spend(ms: number): void;
  /** Returns the next wait: at least `askedWaitMs`, but not past the end of the time that is left. Undefined if that time is over. */
  next(askedWaitMs: number | undefined): number | undefined;
}

/** Waits grow by half, up to a minute (contract C-18.2); a first one that is longer stays as it is. */
export function paceOf({ every, timeout }: Pick<Step, "every" | "timeout">): Pace {
  let spent = 0;
  let wait = every;
  let count = 0;
  return {
    timeout,
    get count() {
      return count;
    },
    spend(ms) {
      spent += ms;
    },
    next(askedWaitMs = 0) {
      const left = timeout - spent;
      if (left <= 0) return undefined;
      const ms = Math.min(Math.max(wait, askedWaitMs), left);
      wait = Math.min(wait * 1.5, Math.max(slowest, every));
      spent += ms;
      count += 1;
      return ms;
    },
  };
}
