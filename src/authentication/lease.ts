import type { Cancellation } from "../core/cancellation.ts";
import type { Lifetime } from "./lifetime.ts";

/** The result of a renewal. */
export interface Renewed<T> {
  readonly value: T;
  readonly lifetime: Lifetime;
}

/** Credentials with a lifetime, shared by any number of concurrent requests. */
export interface Lease<T> {
  /** Returns valid credentials, and renews them first if there are none. Rejects with the signal's reason. */
  take(signal: Cancellation): Promise<LeasedCredentials<T>>;
}

export interface LeasedCredentials<T> {
  readonly value: T;
  /** True for the caller that renewed the credentials. */
  readonly isNew: boolean;
  /** Returns whether they can still be used. Credentials for one request are valid for that request. */
  isValid(): boolean;
  /** Drops credentials that the server refused, unless newer ones are held already. */
  drop(): void;
}

export interface Clocks {
  now(): number;
  elapsed(): number;
}

/**
 * Creates a lease over `renew`. There is one renewal at a time; all callers wait for it and share its result or its
 * failure (contract C-5.3). A caller that is aborted leaves the renewal to the others.
 */
export function createLease<T>(renew: () => Promise<Renewed<T>>, clocks: Clocks): Lease<T> {
  interface CurrentCredentials extends Renewed<T> {
    readonly since: number;
  }
  let current: CurrentCredentials | undefined;
  let renewal: Promise<CurrentCredentials> | undefined;

  const start = async (): Promise<CurrentCredentials> => {
    try {
      current = { ...(await renew()), since: clocks.elapsed() };
      return current;
    } finally {
      renewal = undefined;
    }
  };
  const isGood = ({ lifetime, since }: CurrentCredentials): boolean => {
    if (lifetime.kind === "seconds") return clocks.elapsed() - since < lifetime.seconds * 1000;
    if (lifetime.kind === "until") return clocks.now() < lifetime.time;
    return lifetime.kind === "run";
  };
  const leased = (credentials: CurrentCredentials, isNew: boolean): LeasedCredentials<T> => {
    const isShared = isGood(credentials);
    return {
      value: credentials.value,
      isNew,
      isValid: () => !isShared || (current === credentials && isGood(credentials)),
      drop: () => {
        if (current === credentials) current = undefined;
      },
    };
  };

  return {
    async take(signal) {
      signal.throwIfAborted();
      for (;;) {
        if (current !== undefined && isGood(current)) return leased(current, false);
        if (renewal === undefined) {
          // The caller that started the renewal uses the result even if it serves one request only, or expires at once.
          renewal = start();
          return leased(await unlessAborted(renewal, signal), true);
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
