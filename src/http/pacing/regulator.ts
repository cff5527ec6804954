import type { Cancellation } from "../../core/cancellation.ts";
/**
 * Learns from the answers of a session how many requests the API accepts, and may delay requests. Times are those of
 * `performance.now`.
 */
export interface Regulator {
  /**
   * Waits until the request may begin, then calls `open`, which waits for all other limits. Resolves with false if `open` does, in
   * which case the request does not begin. Returns undefined if the request may begin at once.
   */
  turn(open: () => Promise<boolean> | undefined, signal: Cancellation): Promise<boolean> | undefined;
  /** Reports that a request sent at `began` got a good answer. */
  answered(began: number): void;
  /** Reports that a request was refused as one too many. `wait`: the wait in ms that the API asks for. */
  refused(began: number, wait: number | undefined): void;
  /** Reports that a request got a good answer, and that no further request is allowed for now. */
  usedUp(began: number): void;
}
