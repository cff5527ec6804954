import type { JobPlan, Lineage, Start, StepsStart } from "../../compile/plan.ts";
import type { RunWindow } from "../manifest/manifest.ts";
import type { Share } from "./strides.ts";

/** A run of a job that belongs to a shard. */
export interface OwnRun {
  /** Its number in the job, from 0. */
  readonly run: number;
  readonly window: RunWindow | undefined;
}

/** A job whose runs the shards take in turn: each takes every n-th. */
export class SharedRuns {
  readonly plan: JobPlan;
  /** The runs that the shard has begun, in order. */
  readonly ownRuns: OwnRun[] = [];

  constructor(plan: JobPlan, share: Share) {
    this.plan = { ...plan, runs: (lineage) => this.#own(plan, lineage, share) };
  }

  *#own(plan: JobPlan, lineage: Lineage, { index, count }: Share): Generator<Start | StepsStart> {
    let run = 0;
    for (const start of plan.runs(lineage)) {
      if (run % count === index) {
        const { window } = start;
        this.ownRuns.push({
          run,
          window: window && { index: window.index, endpoint: window.endpoint, name: window.name },
        });
        // The window before it belongs to another shard; the merge compares the two.
        yield window === undefined ? start : { ...start, window: { ...window, index: 0 } };
      }
      run += 1;
    }
  }
}
