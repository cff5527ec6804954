import type { Cancellation } from "../core/cancellation.ts";
/** Learns from a session's requests how many the API bears, and may space them. Times are those of `performance.now`. */
export interface Regulator {
  /** Resolves when a request may begin; `open` waits for what else holds requests back. Undefined: at once. */
  turn(open: () => Promise<void> | undefined, signal: Cancellation): Promise<void> | undefined;
  /** A request that was sent at `began` has been answered well. */
  answered(began: number): void;
  /** It was refused for there being too many; `wait` (ms) is what the API asks for. */
  refused(began: number, wait: number | undefined): void;
  /** It was answered well, and no further one is allowed for now. */
  usedUp(began: number): void;
}
