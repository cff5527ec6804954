import { allJobs } from "../config/jobs.ts";
import type { Fault } from "../core/errors.ts";
import { pointer } from "../core/path.ts";
import type { Job, Pagination, Scroller } from "../generated/configuration.ts";
import { scrollerOf } from "./check.ts";

/** Paging that is allowed, and hardly what was meant: each with its place and what would be right. */
export function pagingWarnings(
  jobs: readonly Job[],
  pagination: Pagination | undefined,
  at: string,
  pointers: ReadonlyMap<Job, string>,
): Fault[] {
  if (pagination === undefined) return [];
  const scrollers =
    pagination.method === "multiple"
      ? Object.entries(pagination.scrollers ?? {}).map(([name, one]) => [one, pointer(at, "scrollers", name)] as const)
      : [[pagination, at] as const];
  return [
    ...scrollers.flatMap(([scroller, place]) => dottedKeys(scroller, place)),
    ...[...allJobs(jobs)].flatMap(({ job }) => forgottenParameters(job, pagination, pointers.get(job) ?? "")),
  ];
}

/** `response.param` sends its parameter alone; what the job asks for is then asked of the first page only. */
function forgottenParameters(job: Job, pagination: Pagination, at: string): Fault[] {
  const scroller = scrollerOf(job, pagination);
  if (scroller?.method !== "response.param" || scroller.includeParams === true) return [];
  // Another request is configured: it says itself what it carries.
  if (scroller.scrollRequest !== undefined) return [];
  const names = Object.keys(job.params ?? {}).filter((name) => name !== scroller.queryParam);
  if (names.length === 0) return [];
  const list = names.map((name) => JSON.stringify(name)).join(", ");
  const message = `${list} ${names.length === 1 ? "is" : "are"} sent with the first request only; "includeParams": true in the pagination sends the parameters with every one`;
  return [{ pointer: pointer(at, "params"), message }];
}

/** A path is cut at its dots: "@odata.nextLink" is the member "nextLink" of "@odata". */
function dottedKeys(scroller: Pagination | Scroller, at: string): Fault[] {
  const paths: (readonly [pointer: string, path: unknown, hasDelimiter: boolean])[] = [];
  if (scroller.method === "response.url") {
    paths.push([pointer(at, "urlKey"), scroller.urlKey, (scroller.delimiter ?? ".") !== "."]);
  }
  if (scroller.method === "response.param") paths.push([pointer(at, "responseParam"), scroller.responseParam, false]);
  const stop = "limitStop" in scroller ? scroller.limitStop : undefined;
  if (stop !== undefined) paths.push([pointer(at, "limitStop", "field"), stop.field, false]);
  return paths.flatMap(([place, path, hasDelimiter]) => {
    if (hasDelimiter || typeof path !== "string" || !path.startsWith("@odata.")) return [];
    const member = JSON.stringify(path.slice("@odata.".length));
    const remedy = scroller.method === "response.url" ? '; with "delimiter": "/" it is one name' : "";
    return [
      { pointer: place, message: `${JSON.stringify(path)} is read as the member ${member} of "@odata"${remedy}` },
    ];
  });
}
