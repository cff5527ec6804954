import type { JobPlans } from "../compile/job-plans.ts";
import { type Checkpoint, isBefore, isSameJob, type Standing } from "../resume/progress.ts";
import type { ScheduledJob } from "./source/page-source.ts";

/**
 * The jobs of an iteration that are to be run: those that had failed before `from`, and all from there on. The plan of each is
 * made when its turn comes.
 */
export function* scheduleOf(jobs: JobPlans, iteration: number, from: Standing): Generator<ScheduledJob> {
  for (let index = 0; index < jobs.length; index += 1) {
    const here = { iteration, job: index };
    const known = [from.checkpoint, ...from.failed].find((checkpoint) => isSameJob(checkpoint, here));
    if (known === undefined && isBefore(here, from.checkpoint)) continue;
    const plan = jobs.at(index);
    if (plan !== undefined) yield { plan, index, from: known };
  }
}

/** Has an iteration any job to run? */
export function isToBeRun(iteration: number, { checkpoint, failed }: Standing): boolean {
  return iteration >= checkpoint.iteration || failed.some((one) => one.iteration === iteration);
}

/** Where a run stands that has come to `current` since it took up `from`; `failed` has since. */
export function standingAt(current: Checkpoint, from: Standing, failed: readonly Checkpoint[]): Standing {
  if (!isBefore(current, from.checkpoint)) return { checkpoint: current, failed: [...failed] };
  // Jobs that had failed before the checkpoint are under way: this one, and later ones.
  const isUnderWay = from.failed.some((one) => isSameJob(one, current));
  const later = from.failed.filter((one) => isBefore(current, one));
  return { checkpoint: from.checkpoint, failed: [...failed, ...(isUnderWay ? [current] : []), ...later] };
}
