import { foundText } from "../config/found.ts";
import { allJobs } from "../config/jobs.ts";
import type { Fault } from "../core/errors.ts";
import { nearest } from "../core/text/nearest.ts";
import { pointerTo } from "../core/values/path.ts";
import type { ExpressionPlace } from "../expression/place.ts";
import type { Job, Pagination, Scroller } from "../generated/configuration.ts";
import { checkEndpointNames } from "./endpoint-names.ts";
import { methodOf } from "./methods.ts";
import { scrollerOf } from "./multiple.ts";
import type { CheckFindings } from "./paging-method.ts";
import { checkStops } from "./stop/check-stops.ts";

/** Returns each scroller of a pagination with its JSON pointer. */
function scrollersOf(
  pagination: Pagination,
  pointer: string,
): readonly (readonly [scroller: Scroller, pointer: string])[] {
  if (pagination.method !== "multiple") return [[pagination, pointer]];
  return Object.entries(pagination.scrollers ?? {}).map(([name, scroller]) => [
    scroller,
    pointerTo(pointer, "scrollers", name),
  ]);
}

/** Returns the places of a pagination's expressions. */
export function paginationPlaces(pagination: Pagination, pointer: string): readonly ExpressionPlace[] {
  return scrollersOf(pagination, pointer).flatMap(([scroller, here]) => methodOf(scroller).places(scroller, here));
}

/** Returns the faults of a pagination that the schema cannot find: in its methods, stop rules and the name of the default scroller. */
export function checkPagination(pagination: Pagination | undefined, pointer: string): CheckFindings {
  if (pagination === undefined) return { faults: [], warnings: [] };
  const found = scrollersOf(pagination, pointer).flatMap(([scroller, here]) => [
    methodOf(scroller).check(scroller, here),
    checkStops(scroller.method === "none" ? {} : scroller, here),
  ]);
  if (pagination.method === "multiple") found.push(checkStops(pagination, pointer));
  const unknown =
    pagination.method === "multiple"
      ? unknownScroller(pagination.default, pagination, pointerTo(pointer, "default"))
      : [];
  return mergeFindings([...found, { faults: unknown, warnings: [] }]);
}

/** Returns the faults and warnings of all jobs, including children, that concern paging. */
export function checkJobPaging(
  jobs: readonly Job[],
  pagination: Pagination | undefined,
  pointers: ReadonlyMap<Job, string>,
): CheckFindings {
  return mergeFindings(
    [...allJobs(jobs)].map(({ job, ancestors }) => {
      const pointer = pointers.get(job) ?? "";
      const faults = unknownScroller(job.scroller, pagination, pointerTo(pointer, "scroller"));
      const scroller = faults.length > 0 ? undefined : scrollerOf(job, pagination);
      const methodFindings = scroller && methodOf(scroller).checkJob(scroller, job, pointer);
      const names = scroller && checkEndpointNames(scroller, job, ancestors, pointer);
      return mergeFindings([{ faults, warnings: ignoredScroller(job, pagination, pointer) }, methodFindings, names]);
    }),
  );
}

function unknownScroller(name: string | undefined, pagination: Pagination | undefined, pointer: string): Fault[] {
  const names = pagination?.method === "multiple" ? Object.keys(pagination.scrollers ?? {}) : [];
  if (name === undefined || names.length === 0 || names.includes(name)) return [];
  const guess = nearest(name, names);
  const hint = guess === undefined ? "" : ` (did you mean ${JSON.stringify(guess)}?)`;
  const defined = names.map((scrollerName) => JSON.stringify(scrollerName)).join(", ");
  return [{ pointer, message: `unknown scroller ${foundText(name, [])}${hint}; the scrollers are ${defined}` }];
}

/** Returns a warning for a job that names a scroller although the method is not `multiple`. */
function ignoredScroller(job: Job, pagination: Pagination | undefined, pointer: string): Fault[] {
  if (job.scroller === undefined || pagination?.method === "multiple") return [];
  const message = 'is ignored: only pagination of the method "multiple" has scrollers to pick from';
  return [{ pointer: pointerTo(pointer, "scroller"), message }];
}

function mergeFindings(found: readonly (CheckFindings | undefined)[]): CheckFindings {
  return {
    faults: found.flatMap((one) => one?.faults ?? []),
    warnings: found.flatMap((one) => one?.warnings ?? []),
  };
}
