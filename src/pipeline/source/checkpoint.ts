import type { Value } from "../../core/values/value.ts";
import { beginningOf, type Checkpoint } from "../../resume/progress.ts";
import type { JobRun } from "../job-run.ts";
import { nextPosition } from "./frontier.ts";

/**
 * Returns the place before the next page of a job, or the beginning of the job if none of its pages has ended and none of its steps
 * was answered. `first`: the run of the next page; undefined at the beginning of a job.
 */
export function checkpointBefore(
  first: JobRun | undefined,
  { iteration, index }: { readonly iteration: number; readonly index: number },
  save: () => { readonly tally: Value; readonly increment: Value },
): Checkpoint {
  const { answered } = first ?? {};
  const hasBegun = first !== undefined && (first.settled > 0 || first.index > 0 || answered !== undefined);
  if (!hasBegun) return beginningOf(iteration, index);
  return {
    iteration,
    job: index,
    run: first.index,
    position: first.settled > 0 ? (nextPosition(first) ?? null) : null,
    pages: first.settled,
    ...(answered === undefined ? {} : { steps: answered }),
    ...save(),
  };
}
