import type { Increment } from "../../compile/jobs/increment.ts";
import type { JobPlan, Start, StepsStart } from "../../compile/plan.ts";
import { IncrementProgress } from "./increment-progress.ts";

export interface PartitionObserver {
  /** True if increments may move with each window. They may not if no line reaches the output before the end of the run. */
  readonly movesByWindow: boolean;
  /** Called once for each partition whose runs are complete, unless a run of an earlier partition was not. */
  ended(partition: Partition): void;
}

/** Partitions that move the same increment, one after the other, in the order of their numbers. */
interface Sequence {
  readonly increment: Increment;
  readonly plan: JobPlan;
  readonly progress: IncrementProgress;
  readonly observer: PartitionObserver;
  /** Number of the partition that ends next, from 0; -1 if something before it was not complete. */
  next: number;
}

/**
 * The runs of a job for one parent, or for one window. When all of them and the jobs below have ended well, the increment moves.
 * Runs are made one at a time, so the last run of a partition is known only when the first run of the next partition is made.
 */
export class Partition {
  readonly #sequence: Sequence;
  readonly #number: number;
  /** Number of the window among those of the job, if there is a partition for each window. */
  readonly #window: number | undefined;
  /** Number of runs, and of lists of future runs, that have begun and not ended. */
  #open = 0;
  #hasAllRuns = false;
  #isWhole = true;

  constructor(sequence: Sequence, number: number, window: number | undefined) {
    this.#sequence = sequence;
    this.#number = number;
    this.#window = window;
  }

  get increment(): Increment {
    return this.#sequence.increment;
  }

  get plan(): JobPlan {
    return this.#sequence.plan;
  }

  get progress(): IncrementProgress {
    return this.#sequence.progress;
  }

  /** Returns the partition of the job's next run: this one, or a new one after closing this one. */
  following(start: Pick<Start, "increment" | "window">): Partition | undefined {
    const { increment, plan, observer } = this.#sequence;
    const isSameIncrement = start.increment === undefined || start.increment === increment;
    if (isSameIncrement && (this.#window === undefined || this.#window === start.window?.index)) return this;
    this.close();
    if (!isSameIncrement) return partitionOf(start, plan, observer);
    return new Partition(this.#sequence, this.#number + 1, start.window?.index);
  }

  /** Must be called when a run, or a list of runs, begins. */
  hold(): void {
    this.#open += 1;
  }

  /** Must be called when a run, or a list of runs, has ended. A partition with a run that is not complete never ends. */
  release(isComplete = true): void {
    this.#open -= 1;
    this.#isWhole &&= isComplete;
    this.#end();
  }

  /** Must be called when no further run follows. */
  close(): void {
    this.#hasAllRuns = true;
    this.#end();
  }

  #end(): void {
    const { next, observer } = this.#sequence;
    if (this.#open > 0 || !this.#hasAllRuns || !this.#isWhole || next !== this.#number) return;
    this.#sequence.next += 1;
    observer.ended(this);
  }
}

/** The progress of a top-level job's increment. `isComplete`: true if everything before the first run was complete. */
export interface TopLevelProgress {
  readonly progress: IncrementProgress | undefined;
  readonly isComplete: boolean;
}

/**
 * Returns the first partition of a job's runs. Undefined if the job has no increment, or if it is a top-level job whose increment
 * moves only when the job ends.
 */
export function partitionOf(
  start: Pick<Start | StepsStart, "increment" | "window">,
  plan: JobPlan,
  observer: PartitionObserver,
  topLevel?: TopLevelProgress,
): Partition | undefined {
  const { progress, isComplete = true } = topLevel ?? {};
  const increment = start.increment ?? (progress && plan.increment);
  if (increment === undefined) return undefined;
  const isByWindow = increment.isByWindow && observer.movesByWindow;
  if (progress !== undefined && !isByWindow) return undefined;
  const next = isComplete ? 0 : -1;
  const sequence = { increment, plan, observer, next, progress: progress ?? new IncrementProgress(increment, null) };
  return new Partition(sequence, 0, isByWindow ? start.window?.index : undefined);
}
