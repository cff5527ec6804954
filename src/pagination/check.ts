import { foundText } from "../config/found.ts";
import { allJobs } from "../config/jobs.ts";
import type { Fault } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { pointer } from "../core/path.ts";
import { integer, type Value } from "../core/value.ts";
import { isExpression } from "../expression/shape.ts";
import type { Api, Job, LimitStop, Pagination, Scroller } from "../generated/configuration.ts";
import { methodOf, scrollersOf } from "./methods.ts";
import type { OwnInteger } from "./paging-method.ts";

/** The scroller of a job: that of `multiple` by name, `default`, or the configuration's only one. */
export function scrollerOf(job: Job, pagination: Pagination | undefined): Scroller | undefined {
  if (pagination?.method !== "multiple") return pagination;
  const name = job.scroller ?? pagination.default ?? "default";
  return Object.hasOwn(pagination.scrollers ?? {}, name) ? pagination.scrollers[name] : undefined;
}

/** Stop rules that contradict themselves, parameters of one name, and names of scrollers that do not exist. */
export function checkPagination({ pagination }: Api, apiAt: string): Fault[] {
  if (pagination === undefined) return [];
  const at = pointer(apiAt, "pagination");
  const faults = scrollersOf(pagination, at).flatMap(([scroller, here]) => [
    ...checkLimitStop(scroller, here),
    ...methodOf(scroller).check(scroller, here),
  ]);
  if (pagination.method !== "multiple" || pagination.default === undefined) return faults;
  return [...faults, ...checkScroller(pagination.default, pagination, pointer(at, "default"))];
}

function checkLimitStop(scroller: Scroller, at: string): Fault[] {
  const stop: LimitStop | undefined = "limitStop" in scroller ? scroller.limitStop : undefined;
  if (stop === undefined || (stop.field === undefined) !== (stop.count === undefined)) return [];
  return [{ pointer: pointer(at, "limitStop"), message: 'needs one of "field" and "count", and not both' }];
}

function checkScroller(name: string, pagination: Pagination, at: string): Fault[] {
  const names = pagination.method === "multiple" ? Object.keys(pagination.scrollers ?? {}) : [];
  if (names.length === 0 || names.includes(name)) return [];
  const guess = nearest(name, names);
  const hint = guess === undefined ? "" : ` (did you mean ${JSON.stringify(guess)}?)`;
  return [
    {
      pointer: at,
      message: `unknown scroller ${foundText(name, [])}${hint}: defined are ${names.map((known) => JSON.stringify(known)).join(", ")}`,
      suggestion: guess,
    },
  ];
}

/** Warnings for jobs that pick a scroller where there is nothing to pick from. */
export function ignoredScrollers(
  jobs: readonly Job[],
  pagination: Pagination | undefined,
  pointers: ReadonlyMap<Job, string>,
): Fault[] {
  if (pagination?.method === "multiple") return [];
  const message = 'is ignored: only pagination of the method "multiple" has scrollers to pick from';
  return [...allJobs(jobs)]
    .filter(({ job }) => job.scroller !== undefined)
    .map(({ job }) => ({ pointer: pointer(pointers.get(job) ?? "", "scroller"), message }));
}

/** Names of scrollers in jobs, and page sizes and offsets that jobs give as parameters (contract C-2.5, C-6.3, C-6.18). */
export function checkJobPaging(
  jobs: readonly Job[],
  pagination: Pagination | undefined,
  pointers: ReadonlyMap<Job, string>,
): Fault[] {
  return [...allJobs(jobs)].flatMap(({ job }) => {
    const at = pointers.get(job) ?? "";
    if (job.scroller !== undefined && pagination?.method === "multiple") {
      const faults = checkScroller(job.scroller, pagination, pointer(at, "scroller"));
      if (faults.length > 0) return faults;
    }
    const scroller = scrollerOf(job, pagination);
    const { params } = job;
    if (scroller === undefined || params === undefined) return [];
    return methodOf(scroller)
      .ownIntegers(scroller)
      .flatMap((own) => checkInteger(params[own.name], pointer(at, "params", own.name), own));
  });
}

function checkInteger(value: Value | undefined, at: string, { minimum, what }: OwnInteger): Fault[] {
  if (value === undefined || isExpression(value, []) || integer(value, minimum) !== undefined) return [];
  return [
    {
      pointer: at,
      message: `as the ${what} of the job it must be an integer of at least ${minimum}, not ${foundText(value, [])}`,
    },
  ];
}
