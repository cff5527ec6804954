import type { Increment } from "../../compile/jobs/increment.ts";
import type { JobPlan } from "../../compile/plan.ts";
import { IncrementProgress } from "./increment-progress.ts";

export interface PartitionObserver {
  /** Called once for a partition, unless a run of it fails or is not complete. */
  ended(partition: Partition): void;
}

/**
 * The runs of a child job for one parent. Its watermark moves when all of them have ended well, with all that is below them. They
 * are made one at a time, so that the last is known only when the next parent's first is requested.
 */
export class Partition {
  readonly increment: Increment;
  readonly plan: JobPlan;
  readonly progress: IncrementProgress;
  readonly #observer: PartitionObserver;
  /** Number of runs, and of lists of runs to come, that have begun and not ended. */
  #open = 0;
  #hasAllRuns = false;
  #isWhole = true;

  constructor(increment: Increment, plan: JobPlan, observer: PartitionObserver) {
    this.increment = increment;
    this.plan = plan;
    this.progress = new IncrementProgress(increment, null);
    this.#observer = observer;
  }

  /** Reports that a run, or a list of runs, begins. */
  hold(): void {
    this.#open += 1;
  }

  /** Reports its end. A failed one never ends. */
  release(isComplete = true): void {
    this.#open -= 1;
    this.#isWhole &&= isComplete;
    this.#end();
  }

  /** Reports that no further run of the parent follows. */
  close(): void {
    this.#hasAllRuns = true;
    this.#end();
  }

  #end(): void {
    if (this.#open === 0 && this.#hasAllRuns && this.#isWhole) this.#observer.ended(this);
  }
}
