import type { JobPlan, Lineage, Parent } from "../../compile/plan.ts";
import { asSpileError, SpileError } from "../../core/errors.ts";
import type { Request } from "../../core/request.ts";
import type { Checkpoint } from "../../resume/progress.ts";
import type { JobRun, Slot } from "../job-run.ts";

/**
 * The runs of a job, made one at a time; where they cannot be made, one that fails when its turn comes. `now` is in
 * milliseconds; `from`, where a top-level job goes on that was interrupted: its runs before that have ended; a position of
 * null is the run's beginning.
 */
export function* runsOf(
  plan: JobPlan,
  lineage: Lineage,
  now: () => number,
  from?: Pick<Checkpoint, "run" | "position" | "pages">,
): Generator<JobRun> {
  const { parents } = lineage;
  let index = 0;
  try {
    for (const start of plan.runs(lineage)) {
      const interrupted = index === from?.run ? from : undefined;
      const known = interrupted?.position ?? plan.scroll.start(start.parameters, now());
      const settled = interrupted?.pages ?? 0;
      if (index >= (from?.run ?? 0)) yield { plan, parents, index, start, pages: [], known, settled };
      index += 1;
    }
  } catch (error) {
    yield failing(plan, parents, error, index);
  }
}

/** The runs of a child job for records of a page of `above`. */
export function* childRunsOf(
  plan: JobPlan,
  parents: Iterable<Parent>,
  above: JobRun,
  now: () => number,
): Generator<JobRun> {
  const inherited = above.start instanceof SpileError ? [] : above.start.substitutions;
  try {
    for (const parent of plan.grouped(parents)) {
      yield* runsOf(plan, { parents: [parent, ...above.parents], inherited }, now);
    }
  } catch (error) {
    yield failing(plan, above.parents, error);
  }
}

/** The run that fails when its turn comes. */
function failing(plan: JobPlan, parents: readonly Parent[], error: unknown, index = 0): JobRun {
  return { plan, parents, index, start: asSpileError(error), pages: [], known: null, settled: 0 };
}

export function requestOf({ run, position }: Slot): Request | SpileError {
  if (run.start instanceof SpileError) return run.start;
  try {
    return run.plan.scroll.request(run.start.request, position);
  } catch (error) {
    return asSpileError(error);
  }
}
