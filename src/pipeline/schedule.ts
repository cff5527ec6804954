import type { Compiled } from "../compile/compile.ts";
import type { JobPlan } from "../compile/plan.ts";
import { type JobResult, notRun } from "../core/runs/run.ts";
import { counted } from "../core/text/counted.ts";
import { type Checkpoint, isBefore, isSameJob, type Standing } from "../resume/progress.ts";
import type { LineBudget } from "./line-budget.ts";
import { unbegunResults } from "./source/job-tally.ts";
import type { ScheduledJob } from "./source/options.ts";

/** The iterations of a run. */
export interface Iterations {
  readonly count: number;
  /** The place where the run begins. */
  readonly from: Standing;
  readonly budget: LineBudget;
  /** Prepares an iteration, by its number from 0. */
  ready(iteration: number): Promise<Compiled>;
  /** Returns whether the run ends before the next iteration. */
  isOver(): boolean;
  /** Called when an iteration has ended. */
  ended(): void;
  /** Called with the results of a job that is not begun because `--max-records` is reached. */
  leftOut(results: readonly JobResult[]): void;
  /** Called with the number of jobs that are not begun and were too many to be passed to `leftOut`. */
  unlisted(count: number): void;
}

/** Maximum number of jobs of an iteration that are listed although they were not begun. */
const maxListed = 1000;

/** Yields the jobs of each iteration that is still to be run. An iteration is prepared when the previous one has ended. */
export async function* scheduled(iterations: Iterations): AsyncGenerator<Schedule> {
  const { count, from, budget } = iterations;
  for (let iteration = 0; iteration < count; iteration += 1) {
    if (!isToBeRun(iteration, from)) continue;
    if (iterations.isOver()) return;
    const compiled = await iterations.ready(iteration);
    if (budget.isUsedUp) {
      const more = count - iteration - 1;
      const nor = more > 0 ? `, nor in ${counted(more, "further iteration")}` : "";
      const reason = `${notRun} in this iteration${nor}: stopped by --max-records`;
      const schedule = new Schedule(compiled, iteration, from);
      iterations.unlisted(schedule.leaveOut((plan) => unbegunResults(plan, reason), iterations.leftOut));
      return;
    }
    yield new Schedule(compiled, iteration, from);
    iterations.ended();
  }
}

/**
 * The jobs of an iteration that are still to be run: the jobs before `from` that have failed, and all jobs from there on. The plan
 * of each job is made when its turn comes.
 */
export class Schedule {
  readonly #compiled: Compiled;
  readonly #iteration: number;
  readonly #from: Standing;
  /** The places in this iteration from which jobs continue, by the index of the job. */
  readonly #savedCheckpoints = new Map<number, Checkpoint>();
  #index = 0;

  constructor(compiled: Compiled, iteration: number, from: Standing) {
    this.#compiled = compiled;
    this.#iteration = iteration;
    this.#from = from;
    for (const saved of [...from.failed, from.checkpoint]) {
      if (saved.iteration === iteration) this.#savedCheckpoints.set(saved.job, saved);
    }
  }

  next(): ScheduledJob | undefined {
    const iteration = this.#iteration;
    const { jobs } = this.#compiled;
    while (this.#index < jobs.length) {
      const index = this.#index;
      this.#index += 1;
      const plan = this.#isToBeRun(index) ? jobs.at(index) : undefined;
      if (plan !== undefined)
        return { plan, client: this.#compiled, iteration, index, from: this.#savedCheckpoints.get(index) };
    }
    return undefined;
  }

  /**
   * Leaves out all remaining jobs. Passes on the results of the first thousand, and returns how many others there are: to make the
   * plans of very many jobs would delay the end of the run.
   */
  leaveOut(
    resultsOf: (plan: JobPlan) => readonly JobResult[],
    leftOut: (results: readonly JobResult[]) => void,
  ): number {
    for (let listed = 0; listed < maxListed; listed += 1) {
      const job = this.next();
      if (job === undefined) return 0;
      leftOut(resultsOf(job.plan));
    }
    let others = 0;
    for (; this.#index < this.#compiled.jobs.length; this.#index += 1) if (this.#isToBeRun(this.#index)) others += 1;
    return others;
  }

  #isToBeRun(index: number): boolean {
    const place = { iteration: this.#iteration, job: index };
    return !isBefore(place, this.#from.checkpoint) || this.#savedCheckpoints.has(index);
  }
}

/** Returns whether an iteration has any job to run. */
function isToBeRun(iteration: number, { checkpoint, failed }: Standing): boolean {
  return iteration >= checkpoint.iteration || failed.some((one) => one.iteration === iteration);
}

/**
 * Returns the place of a run that resumed at `from` and is now at `current`. `failed`: places of the jobs that have failed since.
 */
export function standingAt(current: Checkpoint, from: Standing, failed: readonly Checkpoint[]): Standing {
  if (!isBefore(current, from.checkpoint)) return { checkpoint: current, failed: [...failed] };
  // The current job failed before the checkpoint, and is being run again. Later jobs that failed before the checkpoint follow.
  const isUnderWay = from.failed.some((one) => isSameJob(one, current));
  const later = from.failed.filter((one) => isBefore(current, one));
  return { checkpoint: from.checkpoint, failed: [...failed, ...(isUnderWay ? [current] : []), ...later] };
}
