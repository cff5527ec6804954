import type { Cancellation } from "../../core/cancellation.ts";
/**
 * Learns from the requests of a session how many the API accepts, and may delay them. Times are those of `performance.now`.
 */
export interface Regulator {
  /** Resolves when a request may begin; undefined if it may begin at once. `open`: a function that waits for all other limits. */
  turn(open: () => Promise<void> | undefined, signal: Cancellation): Promise<void> | undefined;
  /** Reports that a request sent at `began` got a good answer. */
  answered(began: number): void;
  /** Reports that a request was refused as one too many. `wait`: the wait in ms that the API asks for. */
  refused(began: number, wait: number | undefined): void;
  /** Reports that a request got a good answer, and that no further request is allowed for now. */
  usedUp(began: number): void;
}
