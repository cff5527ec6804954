import type { Job } from "../../generated/configuration.ts";
import type { JobPlan } from "../plan.ts";

/**
 * The plans of an iteration's jobs, in order. The plans of a configuration are compiled anew each time that they are read:
 * keeping those of thousands of jobs would take more memory than the records that they fetch. For a few jobs, an array of plans
 * will do.
 */
export interface JobPlans extends Iterable<JobPlan> {
  readonly length: number;
  at(index: number): JobPlan | undefined;
}

/** The plans of jobs, each made when it is read. */
export class PlansToMake implements JobPlans {
  readonly #jobs: readonly Job[];
  readonly #make: (job: Job) => JobPlan | undefined;

  constructor(jobs: readonly Job[], make: (job: Job) => JobPlan | undefined) {
    this.#jobs = jobs;
    this.#make = make;
  }

  get length(): number {
    return this.#jobs.length;
  }

  at(index: number): JobPlan | undefined {
    const job = this.#jobs.at(index);
    return job && this.#make(job);
  }

  *[Symbol.iterator](): Iterator<JobPlan> {
    for (const job of this.#jobs) {
      const plan = this.#make(job);
      if (plan !== undefined) yield plan;
    }
  }
}
