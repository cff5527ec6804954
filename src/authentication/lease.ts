import type { Cancellation } from "../core/cancellation.ts";
import type { Lifetime } from "./lifetime.ts";

/** What a renewal brings. */
export interface Renewed<T> {
  readonly value: T;
  readonly lifetime: Lifetime;
}

/** Credentials held for a time, for any number of requests side by side. */
export interface Lease<T> {
  /** Credentials good at this moment; renews them first where there are none. Rejects with the signal's reason. */
  take(signal: Cancellation): Promise<Taken<T>>;
}

export interface Taken<T> {
  readonly value: T;
  /** The server refused them: they are dropped, unless newer ones are held already. */
  drop(): void;
}

export interface Clocks {
  now(): number;
  elapsed(): number;
}

/**
 * A lease over `renew`. There is one renewal at a time; all wait for it and use its result, or fail with it (contract C-5.3).
 * A caller that is aborted leaves the renewal to the others.
 */
export function createLease<T>(renew: () => Promise<Renewed<T>>, clocks: Clocks): Lease<T> {
  interface Held extends Renewed<T> {
    readonly since: number;
  }
  let held: Held | undefined;
  let renewal: Promise<Held> | undefined;

  const start = async (): Promise<Held> => {
    try {
      held = { ...(await renew()), since: clocks.elapsed() };
      return held;
    } finally {
      renewal = undefined;
    }
  };
  const isGood = ({ lifetime, since }: Held): boolean => {
    if (lifetime.kind === "seconds") return clocks.elapsed() - since < lifetime.seconds * 1000;
    if (lifetime.kind === "until") return clocks.now() < lifetime.time;
    return lifetime.kind === "run";
  };
  const taken = (mine: Held): Taken<T> => ({
    value: mine.value,
    drop: () => {
      if (held === mine) held = undefined;
    },
  });

  return {
    async take(signal) {
      signal.throwIfAborted();
      for (;;) {
        if (held !== undefined && isGood(held)) return taken(held);
        if (renewal === undefined) {
          // Whoever renews uses the result even if it is for one request only, or over at once.
          renewal = start();
          return taken(await unlessAborted(renewal, signal));
        }
        await unlessAborted(renewal, signal);
      }
    },
  };
}

function unlessAborted<T>(promise: Promise<T>, signal: Cancellation): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
