import type { JobPlan, Lineage, Parent, Start } from "../../compile/plan.ts";
import { asSpileError, SpileError } from "../../core/errors.ts";
import type { Request } from "../../core/request.ts";
import type { Position } from "../../pagination/scroll.ts";
import type { Checkpoint } from "../../resume/progress.ts";
import type { JobRun, Slot } from "../job-run.ts";

/**
 * The runs of a job, made one at a time; where they cannot be made, one that fails when its turn comes. `now` is in
 * milliseconds; `from`, where the run of a top-level job goes on that was interrupted: a position of null is the
 * beginning.
 */
export function* runsOf(
  plan: JobPlan,
  lineage: Lineage,
  now: () => number,
  from?: Pick<Checkpoint, "position" | "pages">,
): Generator<JobRun> {
  const run = (start: Start | SpileError, known: Position): JobRun => {
    return { plan, parents: lineage.parents, start, pages: [], known, settled: from?.pages ?? 0 };
  };
  try {
    for (const start of plan.runs(lineage)) {
      yield run(start, from?.position ?? plan.scroll.start(start.parameters, now()));
    }
  } catch (error) {
    yield run(asSpileError(error), null);
  }
}

/** The runs of a child job for records of `above`. */
export function* childRunsOf(
  plan: JobPlan,
  parents: Iterable<Parent>,
  above: JobRun,
  now: () => number,
): Generator<JobRun> {
  const inherited = above.start instanceof SpileError ? [] : above.start.substitutions;
  for (const parent of parents) yield* runsOf(plan, { parents: [parent, ...above.parents], inherited }, now);
}

export function requestOf({ run, position }: Slot): Request | SpileError {
  if (run.start instanceof SpileError) return run.start;
  try {
    return run.plan.scroll.request(run.start.request, position);
  } catch (error) {
    return asSpileError(error);
  }
}
