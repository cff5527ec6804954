import type { JobPlan, Lineage, Start } from "../compile/plan.ts";
import type { Share } from "./strides.ts";

/** A job whose runs the shards take in turn: each every n-th. */
export class SharedRuns {
  readonly plan: JobPlan;
  /** Of the runs that the shard has begun, in order: their numbers in the job. */
  readonly numbers: number[] = [];

  constructor(plan: JobPlan, share: Share) {
    this.plan = { ...plan, runs: (lineage) => this.#own(plan, lineage, share) };
  }

  *#own(plan: JobPlan, lineage: Lineage, { index, count }: Share): Generator<Start> {
    let number = 0;
    for (const start of plan.runs(lineage)) {
      if (number % count === index) {
        this.numbers.push(number);
        yield start;
      }
      number += 1;
    }
  }
}
