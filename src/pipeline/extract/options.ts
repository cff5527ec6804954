import type { ReadingPlan } from "../../compile/reading.ts";

export interface ExtractOptions extends ReadingPlan {
  /** Lines that may still be written in this run. */
  readonly limit: { remaining: number };
  /** The key of the run's fingerprints. */
  readonly fingerprintKey: string;
}
