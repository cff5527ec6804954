import type { ChildPlan, FollowingStarts, JobPlan, Lineage, Start, StepsStart } from "../plan.ts";

/**
 * Reduces jobs to the needs of a preview: one run of each job, and one run of each child job for the first parent that it accepts.
 * The data type of each job becomes its number in the order of the configuration, a job before its children.
 */
export function sampled(jobs: readonly JobPlan[]): readonly JobPlan[] {
  let count = 0;
  const sample = (plan: JobPlan): JobPlan => {
    const dataType = String(count);
    count += 1;
    const children = plan.children.map((child): ChildPlan => ({ ...child, plan: sample(child.plan) }));
    const isWritten = plan.datasets.length > 0;
    const unwritten = isWritten ? plan.unwritten : new Set([dataType, ...(plan.unwritten ?? [])]);
    return { ...plan, dataType, unwritten, children, runs: onlyFirst((lineage) => plan.runs(lineage)) };
  };
  return jobs.map(sample);
}

function onlyFirst(runs: JobPlan["runs"]): JobPlan["runs"] {
  let hasBegun = false;
  return function* (lineage: Lineage): Iterable<Start | StepsStart> {
    if (hasBegun) return;
    for (const start of runs(lineage)) {
      hasBegun = true;
      yield "steps" in start ? { ...start, follow: (answers) => firstOf(start.follow(answers)) } : start;
      return;
    }
  };
}

function firstOf(following: FollowingStarts): FollowingStarts {
  return {
    count: Math.min(following.count, 1),
    *[Symbol.iterator](): Generator<Start> {
      for (const start of following) {
        yield start;
        return;
      }
    },
  };
}
