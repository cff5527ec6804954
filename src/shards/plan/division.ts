import { type JobPlan, withChildren } from "../../compile/plan.ts";
import type { LoadedConfiguration, LoadedIteration } from "../../config/loaded.ts";
import { type Value, valueText } from "../../core/values/value.ts";
import { hasInnerLists } from "../../extract/selection.ts";
import type { Scroller } from "../../generated/configuration.ts";
import { select } from "../../pagination/multiple.ts";

/** A way to divide the work of a job among shards. */
export type Division =
  /** By pages: each shard takes every n-th page, with its children. */
  | "pages"
  /** By the runs for windows, or for a list of endpoints: each shard takes every n-th run, with all its pages. */
  | "runs"
  /** By parents: each shard reads all pages, and runs the children of its own parents. */
  | "parents"
  /** The job is not divided: one shard runs it. */
  | "none";

/** `unique`: true if records are dropped by their keys. */
export interface DivisionOptions {
  readonly count: number;
  readonly unique: boolean;
}

/** A top-level job and its paging. */
export interface TopLevelJob {
  readonly plan: JobPlan;
  readonly scroller: Scroller;
}

/** Returns whether there are enough iterations for each shard to have its own. */
export function dividesIterations({ iterations }: LoadedConfiguration, { count }: DivisionOptions): boolean {
  return iterations.length > 1 && iterations.length >= count;
}

export function divisionOf(job: TopLevelJob, dividing: DivisionOptions): Division {
  const { plan, scroller } = job;
  const { unique } = dividing;
  // Only one shard may run the steps, since they start something that must be started only once. Only one shard can know the page
  // at which a feed that is sorted newest first ends.
  if (dividing.count === 1 || plan.steps !== undefined || plan.increment?.descends === true) return "none";
  // A merge cannot know which shard has read the last response of a child job. With `unique`, a shard cannot know whether the merge
  // will drop a record, and with it the value of an increment.
  const incrementalChildren = plan.children
    .flatMap((child) => withChildren(child.plan))
    .filter(({ increment }) => increment);
  if (incrementalChildren.some(isFromLastResponse) || (unique && incrementalChildren.length > 0)) return "none";
  // Only all runs and all pages together show which records are duplicates. A duplicate has no children, and moves no increment.
  if (plan.windows !== undefined || plan.endpoints.length > 1) {
    return unique || !hasSeveralRuns(plan) || isFromLastResponse(plan) ? "none" : "runs";
  }
  const hasChildrenOrIncrement = plan.children.length > 0 || plan.increment !== undefined;
  if (isCounting(scroller) && !needsOrder(plan) && !(unique && hasChildrenOrIncrement) && !isFromLastResponse(plan))
    return "pages";
  return byParents(job, dividing) ? "parents" : "none";
}

/**
 * Returns whether only a run that reads all pages in order knows the end: if a rule may end the job at a page with records, or if
 * the records are in lists inside the elements, so that the pages must show whether the API counts records or elements.
 */
function needsOrder({ policy, selection }: JobPlan): boolean {
  return policy.rules.some(({ then }) => then === "end") || hasInnerLists(selection);
}

/** Returns whether an increment is read from the job's last response, which only an undivided run can know. */
function isFromLastResponse({ increment }: JobPlan): boolean {
  return increment !== undefined && "response" in increment.source;
}

function hasSeveralRuns({ windows, endpoints }: JobPlan): boolean {
  if (windows === undefined || endpoints.length > 1) return endpoints.length > 1;
  const iterator = windows[Symbol.iterator]();
  return iterator.next().done !== true && iterator.next().done !== true;
}

/** Returns whether each shard can run the children for some of a job's records. */
export function byParents({ plan, scroller }: TopLevelJob, { unique }: DivisionOptions): boolean {
  const children = plan.children.map((child) => child.plan);
  // With a limit on time, each shard may end the listing at another page.
  if (children.length === 0 || ("forceStop" in scroller && scroller.forceStop?.time !== undefined)) return false;
  return !unique || children.every((child) => child.children.length === 0 && child.dataType !== plan.dataType);
}

/** Returns the scroller of a top-level job, by its number among an iteration's jobs. */
export function scrollerOf(loaded: LoadedConfiguration, iteration: number, job: number): Scroller {
  const { jobs } = (loaded.iterations[iteration] as LoadedIteration).config;
  return select(loaded.configuration.api.pagination, jobs[job]?.scroller);
}

/** Describes for `check` how a top-level job is divided. */
export function divisionWords(loaded: LoadedConfiguration, job: TopLevelJob, dividing: DivisionOptions): string {
  if (dividesIterations(loaded, dividing)) return "whole iterations are distributed among the shards";
  return words[divisionOf(job, dividing)].replaceAll("{n}", String(dividing.count));
}

const words: Readonly<Record<Division, string>> = {
  pages: "pages divided among {n} shards, if the first page is full",
  runs: "windows or endpoints divided among {n} shards",
  parents: "parents divided among {n} shards, each of which reads all pages",
  none: "one shard runs it",
};

/** Returns whether the job pages by counting, without a rule that ends it before its last page. */
function isCounting(scroller: Scroller): boolean {
  if (scroller.method !== "offset" && scroller.method !== "pagenum") return false;
  const { limit, limitStop, pageCount, forceStop, nextPageFlag, probeEnd } = scroller;
  if (limit === "unknown" || pageCount !== undefined) return false;
  if (limitStop !== undefined || forceStop !== undefined || nextPageFlag !== undefined || probeEnd === true) {
    return false;
  }
  // The plan contains the scroller, which must be the same after it is read again.
  const text = valueText(scroller as unknown as Value);
  return JSON.stringify(JSON.parse(text)) === text;
}
