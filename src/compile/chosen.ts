import { SpileError } from "../core/errors.ts";
import type { ChildPlan, JobPlan } from "./plan.ts";
import { withChildren } from "./plan.ts";

/** Jobs without those that are left out. */
export interface Chosen {
  readonly jobs: readonly JobPlan[];
  /** Is any record left out that the configuration would fetch? */
  readonly isPartial: boolean;
}

/**
 * The jobs that lead to one of the wanted datasets; all of them where `wanted` is undefined. A job whose children alone are
 * wanted is run, and its own records are not written. `nameOf` is how a dataset is called outside. Throws SpileError
 * `configuration` for a dataset that no job has.
 */
export function choose(
  jobs: readonly JobPlan[],
  wanted: ReadonlySet<string> | undefined,
  nameOf: (dataset: string) => string,
): Chosen {
  if (wanted === undefined) return { jobs, isPartial: false };
  const known = new Set(jobs.flatMap(withChildren).flatMap(({ datasets }) => datasets.map(({ name }) => nameOf(name))));
  const unknown = [...wanted].find((name) => !known.has(name));
  if (unknown !== undefined) {
    const names = [...known].map((name) => JSON.stringify(name)).join(", ");
    const message = `the catalog selects the stream ${JSON.stringify(unknown)}, which no job has; there are ${names}`;
    throw new SpileError("configuration", message);
  }
  const isWanted = (dataset: string): boolean => wanted.has(nameOf(dataset));
  return { jobs: jobs.flatMap((plan) => pruned(plan, isWanted)), isPartial: wanted.size < known.size };
}

function pruned(plan: JobPlan, isWanted: (dataset: string) => boolean): readonly JobPlan[] {
  const children = plan.children.flatMap((child): ChildPlan[] =>
    pruned(child.plan, isWanted).map((below) => ({ ...child, plan: below })),
  );
  const datasets = plan.datasets.filter(({ name }) => isWanted(name));
  if (children.length === 0 && datasets.length === 0) return [];
  const unwritten = new Set(plan.datasets.flatMap(({ name }) => (isWanted(name) ? [] : [name])));
  return [{ ...plan, children, datasets, unwritten }];
}
