import type { Compiled } from "../compile/compile.ts";
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
  /** Called with the jobs that are not begun because `--max-records` is reached. */
  leftOut(results: readonly JobResult[]): void;
}

/** Yields the jobs of each iteration. An iteration is prepared when the previous one has ended. */
export async function* scheduled(iterations: Iterations): AsyncGenerator<Iterable<ScheduledJob>> {
  const { count, from, budget } = iterations;
  for (let iteration = 0; iteration < count; iteration += 1) {
    if (!isToBeRun(iteration, from)) continue;
    if (iterations.isOver()) return;
    const compiled = await iterations.ready(iteration);
    if (budget.isUsedUp) {
      const more = count - iteration - 1;
      const nor = more > 0 ? `, nor in ${counted(more, "further iteration")}` : "";
      const reason = `${notRun} in this iteration${nor}: stopped by --max-records`;
      for (const plan of compiled.jobs) iterations.leftOut(unbegunResults(plan, reason));
      return;
    }
    yield scheduleOf(compiled, iteration, from);
    iterations.ended();
  }
}

/**
 * Yields the jobs of an iteration that are to be run: the jobs before `from` that have failed, and all jobs from there on. The
 * plan of each job is made when its turn comes.
 */
function* scheduleOf(compiled: Compiled, iteration: number, from: Standing): Generator<ScheduledJob> {
  const { jobs } = compiled;
  for (let index = 0; index < jobs.length; index += 1) {
    const place = { iteration, job: index };
    const savedCheckpoint = [from.checkpoint, ...from.failed].find((checkpoint) => isSameJob(checkpoint, place));
    if (savedCheckpoint === undefined && isBefore(place, from.checkpoint)) continue;
    const plan = jobs.at(index);
    if (plan !== undefined) yield { plan, client: compiled, iteration, index, from: savedCheckpoint };
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
