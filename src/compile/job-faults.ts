import { checkScheme } from "../config/address-scheme.ts";
import { allJobs } from "../config/jobs.ts";
import type { Fault } from "../core/errors.ts";
import { pointer } from "../core/path.ts";
import { checkFilter } from "../expression/filter.ts";
import { formatFaults } from "../extract/format/format-faults.ts";
import type { Job } from "../generated/configuration.ts";
import { unfilledPlaceholders, unfilledVariables } from "./unfilled.ts";

/** Faults of the endpoints, placeholders and filters of jobs. */
export function jobFaults(
  jobs: readonly Job[],
  pointers: ReadonlyMap<Job, string>,
): { faults: Fault[]; warnings: Fault[] } {
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  for (const { job, ancestors } of allJobs(jobs)) {
    const at = pointers.get(job) ?? "";
    faults.push(...checkScheme(job.endpoint, pointer(at, "endpoint")));
    warnings.push(...unfilledVariables(job.endpoint ?? "", pointer(at, "endpoint")));
    // An empty one lets every record pass.
    if (job.recursionFilter) faults.push(...checkFilter(job.recursionFilter, pointer(at, "recursionFilter")));
    faults.push(...formatFaults(job, at));
    if (ancestors.length > 0) {
      faults.push(...checkLevels(job, ancestors.length, at));
      warnings.push(...undefinedPlaceholders([job, ...ancestors], at));
    } else {
      warnings.push(...unfilledPlaceholders(job.endpoint ?? "", pointer(at, "endpoint")));
    }
    if (ancestors.length === 0 && Object.keys(job.placeholders ?? {}).length > 0) {
      const message = "do nothing: only a child job has a parent to take values from";
      warnings.push({ pointer: pointer(at, "placeholders"), message });
    }
  }
  return { faults, warnings };
}

function checkLevels(job: Job, depth: number, at: string): Fault[] {
  return Object.keys(job.placeholders ?? {}).flatMap((name) => {
    const level = Number(/^(\d+):/.exec(name)?.[1] ?? 1);
    if (level >= 1 && level <= depth) return [];
    const here = pointer(at, "placeholders", name);
    const levels = depth === 1 ? "the job has one parent" : `the job has ${depth} levels of parents`;
    return [{ pointer: here, message: `looks ${level} levels up, but ${levels}` }];
  });
}

/** `{name}` in an endpoint that neither the job nor a parent defines goes out as it is written. */
function undefinedPlaceholders([job, ...parents]: readonly Job[], at: string): Fault[] {
  if (job === undefined) return [];
  const defined = new Set(
    [job, ...parents].flatMap(({ placeholders }) => Object.keys(placeholders ?? {}).map(bareName)),
  );
  const names = [...(job.endpoint ?? "").matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? "");
  return names
    .filter((name) => !defined.has(bareName(name)))
    .map((name) => ({
      pointer: pointer(at, "endpoint"),
      message: `"{${name}}" has no entry in "placeholders": it is sent as it is written`,
    }));
}

function bareName(name: string): string {
  return name.replace(/^1:/, "");
}
