import type { LoadedConfiguration } from "../config/loaded.ts";
import type { Value } from "../core/value.ts";
import { valueText } from "../core/value.ts";
import type { Job, RunConfig, Scroller } from "../generated/configuration.ts";
import { select } from "../pagination/multiple.ts";

/** How the work of a job can be divided, as far as its configuration tells. */
export type Division =
  /** By pages: each shard takes every n-th, with their children. */
  | "pages"
  /** By parents: each shard reads all pages, and runs the children of its own parents. */
  | "parents"
  /** Not at all: one shard runs it. */
  | "none";

/** `unique`: are records dropped by their keys? */
export interface Dividing {
  readonly count: number;
  readonly unique: boolean;
}

/** Are there enough iterations for each shard to have its own? */
export function dividesIterations({ configs }: LoadedConfiguration, { count }: Dividing): boolean {
  return configs.length > 1 && configs.length >= count;
}

/** How a top-level job of an iteration can be divided. */
export function divisionOf(loaded: LoadedConfiguration, iteration: number, job: number, dividing: Dividing): Division {
  if (dividing.count === 1) return "none";
  const { jobs } = loaded.configs[iteration] as RunConfig;
  const own = jobs[job] as Job;
  const scroller = scrollerOf(loaded, iteration, job);
  // Of a record that is dropped no children are asked for, and which are dropped all pages together show.
  if (isCounting(scroller) && !(dividing.unique && hasChildren(own))) return "pages";
  return byParents(loaded, iteration, job, dividing) ? "parents" : "none";
}

/** Can a job be divided by its parents? */
export function byParents(loaded: LoadedConfiguration, iteration: number, job: number, { unique }: Dividing): boolean {
  const { jobs } = loaded.configs[iteration] as RunConfig;
  const own = jobs[job] as Job;
  if (!hasChildren(own) || (unique && own.children?.some(hasChildren) === true)) return false;
  // A bound on time may end the listing elsewhere in each shard.
  const scroller = scrollerOf(loaded, iteration, job);
  return !("forceStop" in scroller) || scroller.forceStop?.time === undefined;
}

export function scrollerOf(loaded: LoadedConfiguration, iteration: number, job: number): Scroller {
  const { jobs } = loaded.configs[iteration] as RunConfig;
  return select(loaded.configuration.api.pagination, jobs[job]?.scroller);
}

/** For `check`: how a top-level job is divided, in words. */
export function divisionWords(loaded: LoadedConfiguration, iteration: number, job: number, dividing: Dividing): string {
  if (dividesIterations(loaded, dividing)) return "whole iterations go round the shards";
  return words[divisionOf(loaded, iteration, job, dividing)].replaceAll("{n}", String(dividing.count));
}

const words: Readonly<Record<Division, string>> = {
  pages: "pages divided among {n} shards, if the first is full",
  parents: "each of {n} shards reads its pages, and runs the children of its own parents",
  none: "one shard runs it",
};

function hasChildren({ children = [] }: Job): boolean {
  return children.length > 0;
}

/** Pages by counting, without a rule that ends the job elsewhere than its pages do. */
function isCounting(scroller: Scroller): boolean {
  if (scroller.method !== "offset" && scroller.method !== "pagenum") return false;
  const { limitStop, forceStop, nextPageFlag, probeEnd } = scroller;
  if (limitStop !== undefined || forceStop !== undefined || nextPageFlag !== undefined || probeEnd === true) {
    return false;
  }
  // It stands in the plan, from which it must come back as it was.
  const text = valueText(scroller as unknown as Value);
  return JSON.stringify(JSON.parse(text)) === text;
}
