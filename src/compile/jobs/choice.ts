import { allJobs, jobLabel, writtenEndpoint } from "../../config/jobs.ts";
import type { LoadedConfiguration } from "../../config/loaded.ts";
import { SpileError } from "../../core/errors.ts";
import { scalarText } from "../../core/values/value.ts";
import type { Job } from "../../generated/configuration.ts";
import { type ChildPlan, type JobPlan, withChildren, withoutLines } from "../plan.ts";

/** The choice of the jobs that run, and of their datasets that are written. */
export interface Choice {
  /**
   * Returns the plan of a job without the parts that are left out, or undefined if no part remains. A job that is needed only for
   * its children runs, but its own records are not written.
   */
  of(plan: JobPlan): JobPlan | undefined;
  /**
   * Called after all jobs. Returns whether records are left out that the configuration would write. Throws SpileError
   * `configuration` for a wanted dataset that no job has.
   */
  end(): boolean;
}

export interface ChoiceOptions {
  /** Data types, endpoints or ids of jobs (`--job`); all jobs if empty. */
  readonly jobs: readonly string[];
  /** Names of datasets (a catalog's selection); all if undefined. */
  readonly datasets: ReadonlySet<string> | undefined;
  /** Returns the name that a catalog has for a dataset. */
  nameOf(dataset: string): string;
}

export function createChoice({ jobs, datasets, nameOf }: ChoiceOptions): Choice {
  const choosableNames = new Set<string>();
  const isNamed = (plan: JobPlan): boolean => jobs.length === 0 || jobs.some((name) => namesOf(plan).includes(name));
  const isWanted = (dataset: string): boolean => datasets === undefined || datasets.has(nameOf(dataset));
  let isPartial = false;
  return {
    of(plan) {
      if (datasets !== undefined) {
        for (const one of withChildren(plan)) for (const { name } of one.datasets) choosableNames.add(nameOf(name));
      }
      const chosen = chosenOf(plan, { isNamed, isWanted }, false);
      isPartial ||= writtenIn(chosen) < writtenIn(plan);
      return chosen;
    },
    end() {
      const unknown = [...(datasets ?? [])].find((name) => !choosableNames.has(name));
      if (unknown === undefined) return isPartial;
      const names = [...choosableNames].map((name) => JSON.stringify(name)).join(", ");
      const message = `the catalog selects the stream ${JSON.stringify(unknown)}, which no job has; there are ${names}`;
      throw new SpileError("configuration", message);
    },
  };
}

/**
 * Throws SpileError `usage` for a name of `--job` that no job has. A job of any iteration counts, since iterations may have
 * different jobs.
 */
export function checkJobNames(names: readonly string[], { iterations }: LoadedConfiguration): void {
  if (names.length === 0) return;
  const lists = new Set(iterations.map(({ config }) => config.jobs));
  const jobs = [...lists].flatMap((list) => [...allJobs(list)].map(({ job }) => job));
  const labels = new Set(jobs.map(jobLabel));
  const choosableNames = new Set([...labels, ...jobs.flatMap((job) => [writtenEndpoint(job), idOf(job) ?? ""])]);
  const unknown = names.find((name) => !choosableNames.has(name));
  if (unknown === undefined) return;
  const list = [...labels].map((label) => JSON.stringify(label)).join(", ");
  throw new SpileError("usage", `--job ${JSON.stringify(unknown)}: there is no such job; the jobs are ${list}`);
}

function namesOf({ label, endpoint, id }: JobPlan): readonly (string | undefined)[] {
  return [label, endpoint, id];
}

function idOf({ id }: Job): string | undefined {
  return id === undefined ? undefined : scalarText(id);
}

interface Rules {
  isNamed(plan: JobPlan): boolean;
  isWanted(dataset: string): boolean;
}

/**
 * Returns the part of a plan that was chosen; undefined if none was. `isBelow`: a job above this one was named, which includes
 * all jobs below it.
 */
function chosenOf(plan: JobPlan, rules: Rules, isBelow: boolean): JobPlan | undefined {
  const isChosen = isBelow || rules.isNamed(plan);
  const children = plan.children.flatMap((child): ChildPlan[] => {
    const below = chosenOf(child.plan, rules, isChosen);
    return below === undefined ? [] : [{ ...child, plan: below }];
  });
  const datasets = isChosen ? plan.datasets.filter(({ name }) => rules.isWanted(name)) : [];
  if (children.length === 0 && datasets.length === 0) return undefined;
  if (datasets.length === plan.datasets.length && isChosen) return { ...plan, children };
  if (datasets.length === 0) {
    // The watermark of the job does not move: a later run that writes its records must also get the records that this run leaves
    // out.
    return { ...withoutLines(plan), children, increment: undefined };
  }
  const otherDatasets = plan.datasets.filter((dataset) => !datasets.includes(dataset));
  return { ...plan, children, datasets, unwritten: new Set(otherDatasets.map(({ name }) => name)) };
}

/** Returns how many datasets a job and those below it write. */
function writtenIn(plan: JobPlan | undefined): number {
  return plan === undefined ? 0 : withChildren(plan).reduce((sum, { datasets }) => sum + datasets.length, 0);
}
