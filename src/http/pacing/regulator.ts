import type { Cancellation } from "../../core/cancellation.ts";
/**
 * Learns from a session's requests how many the API can take, and may space them. Times are those of `performance.now`.
 */
export interface Regulator {
  /** Resolves when a request may begin. `open` waits for all other limits. Undefined: at once. */
  turn(open: () => Promise<void> | undefined, signal: Cancellation): Promise<void> | undefined;
  /** Reports that a request sent at `began` was answered well. */
  answered(began: number): void;
  /** Reports that it was refused as one too many. `wait` (ms) is what the API asks for. */
  refused(began: number, wait: number | undefined): void;
  /** Reports that it was answered well, and that no further request is allowed for now. */
  usedUp(began: number): void;
}
