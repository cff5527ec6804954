import type { Increment } from "../../compile/jobs/increment.ts";
import type { JobPlan, Start, StepsStart } from "../../compile/plan.ts";
import { IncrementProgress } from "./increment-progress.ts";

export interface PartitionObserver {
  /** Whether increments may move with each window. They may not if no line is in the output before the end of the run. */
  readonly movesByWindow: boolean;
  /** Called once for a partition, unless a run of it, or of one before it, fails or is not complete. */
  ended(partition: Partition): void;
}

/** Partitions of which each moves the same increment, after those before it. */
interface Sequence {
  readonly increment: Increment;
  readonly plan: JobPlan;
  readonly progress: IncrementProgress;
  readonly observer: PartitionObserver;
  /** Number of the partition that ends next, from 0; -1 if something before it was not complete. */
  next: number;
}

/**
 * Runs of a job after which its increment moves, if all of them have ended well, with all that is below them: the runs for one
 * parent, or for one window. They are made one at a time, so that the last is known only when the next one's first is requested.
 */
export class Partition {
  readonly #sequence: Sequence;
  readonly #number: number;
  /** Number of the runs' window among those of the job, if each has a partition. */
  readonly #window: number | undefined;
  /** Number of runs, and of lists of runs to come, that have begun and not ended. */
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

  /** Returns the partition of the next run of the same job: this one, or another after closing this one. */
  following(start: Pick<Start, "increment" | "window">): Partition | undefined {
    const { increment, plan, observer } = this.#sequence;
    const isSameIncrement = start.increment === undefined || start.increment === increment;
    if (isSameIncrement && (this.#window === undefined || this.#window === start.window?.index)) return this;
    this.close();
    if (!isSameIncrement) return partitionOf(start, plan, observer);
    return new Partition(this.#sequence, this.#number + 1, start.window?.index);
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

  /** Reports that no further run follows. */
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

/** The progress of a top-level job's increment, and whether everything before its first run was complete. */
export interface TopLevelProgress {
  readonly progress: IncrementProgress | undefined;
  readonly isComplete: boolean;
}

/**
 * Returns the first partition of a job's runs. Undefined: the job has no increment, or one of a top-level job that moves only at the
 * job's end.
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
