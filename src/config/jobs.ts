import type { Fault } from "../core/errors.ts";
import { pointerTo } from "../core/values/path.ts";
import { plainText, type Value, valueText } from "../core/values/value.ts";
import type { Job } from "../generated/configuration.ts";
import { shownAddress } from "../knowledge/credentials.ts";

export interface DistinctJobs {
  readonly jobs: readonly Job[];
  readonly warnings: readonly Fault[];
  /** JSON pointer of each job, including child jobs. */
  readonly pointers: ReadonlyMap<Job, string>;
}

/**
 * Returns the jobs to run, in order. If two jobs have the same `id`, the later one takes the place of the first. A job that is
 * identical to an earlier one is left out (contract C-6.17). `names`: the key or index of each job in the file.
 */
export function distinctJobs(jobs: readonly Job[], names: readonly string[], pointer: string): DistinctJobs {
  const pointers = new Map<Job, string>();
  const warnings: Fault[] = [];
  const places = new Map<string, Job>();
  jobs.forEach((job, index) => {
    const jobPointer = pointerTo(pointer, names[index] ?? index);
    addPointers(job, jobPointer, pointers);
    const hasId = job.id !== undefined;
    const key = hasId ? `id ${valueText(job.id)}` : `job ${valueText(job as unknown as Value)}`;
    const earlierPlace = places.get(key);
    if (earlierPlace === undefined || hasId) places.set(key, job);
    if (earlierPlace === undefined) return;
    const other = pointers.get(earlierPlace) ?? "";
    const message = hasId ? `has the same id as ${other} and replaces it` : `is the same as ${other}, and runs once`;
    warnings.push({ pointer: jobPointer, message });
  });
  return { jobs: [...places.values()], warnings, pointers };
}

function addPointers(job: Job, pointer: string, pointers: Map<Job, string>): void {
  pointers.set(job, pointer);
  job.children?.forEach((child, index) => {
    addPointers(child, pointerTo(pointer, "children", index), pointers);
  });
}

/** Yields every job under `jobs`, parents before children, with its ancestors (the nearest first). */
export function* allJobs(
  jobs: readonly Job[],
  ancestors: readonly Job[] = [],
): Iterable<{ job: Job; ancestors: readonly Job[] }> {
  for (const job of jobs) {
    yield { job, ancestors };
    yield* allJobs(job.children ?? [], [job, ...ancestors]);
  }
}

/**
 * Returns the name of a job in events, `--job` and the summary: its data type, else its endpoint as written, without credentials in
 * its query (`/` for an empty endpoint).
 */
export function jobLabel(job: Job): string {
  if (job.dataType !== undefined) return job.dataType;
  if (job.endpoint === "") return "/";
  const { endpoint } = job;
  return typeof endpoint === "string" ? shownAddress(endpoint, (same) => same) : writtenEndpoint(job);
}

/** Returns the endpoint as written; an expression as compact JSON. */
export function writtenEndpoint({ endpoint }: Job): string {
  return plainText(endpoint);
}
