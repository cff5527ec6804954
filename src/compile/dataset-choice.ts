import { SpileError } from "../core/errors.ts";
import type { ChildPlan, JobPlan } from "./plan.ts";
import { withChildren } from "./plan.ts";

/** Leaves jobs out that lead to no dataset that is wanted. */
export interface DatasetChoice {
  /**
   * The plan of a job without what is left out; undefined where that is all of it. A job whose children alone are wanted is
   * run, and its own records are not written.
   */
  of(plan: JobPlan): JobPlan | undefined;
  /**
   * Once all jobs have been seen: is any record left out that the configuration would fetch? Throws SpileError
   * `configuration` where no job has a dataset that is wanted.
   */
  end(): boolean;
}

/** All jobs are chosen where `wanted` is undefined. `nameOf` is how a dataset is called outside. */
export function datasetChoice(
  wanted: ReadonlySet<string> | undefined,
  nameOf: (dataset: string) => string,
): DatasetChoice {
  if (wanted === undefined) return { of: (plan) => plan, end: () => false };
  const known = new Set<string>();
  const isWanted = (dataset: string): boolean => wanted.has(nameOf(dataset));
  return {
    of(plan) {
      for (const { datasets } of withChildren(plan)) for (const { name } of datasets) known.add(nameOf(name));
      return pruned(plan, isWanted);
    },
    end() {
      const unknown = [...wanted].find((name) => !known.has(name));
      if (unknown === undefined) return wanted.size < known.size;
      const names = [...known].map((name) => JSON.stringify(name)).join(", ");
      const message = `the catalog selects the stream ${JSON.stringify(unknown)}, which no job has; there are ${names}`;
      throw new SpileError("configuration", message);
    },
  };
}

function pruned(plan: JobPlan, isWanted: (dataset: string) => boolean): JobPlan | undefined {
  const children = plan.children.flatMap((child): ChildPlan[] => {
    const below = pruned(child.plan, isWanted);
    return below === undefined ? [] : [{ ...child, plan: below }];
  });
  const datasets = plan.datasets.filter(({ name }) => isWanted(name));
  if (children.length === 0 && datasets.length === 0) return undefined;
  const unwritten = new Set(plan.datasets.flatMap(({ name }) => (isWanted(name) ? [] : [name])));
  return { ...plan, children, datasets, unwritten };
}
