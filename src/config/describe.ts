import type { Configuration, DataField, Job, Pagination, RunConfig, Scroller } from "../generated/configuration.ts";
import { scrollerOf } from "./checks/paging.ts";
import { allJobs, jobLabel } from "./jobs.ts";

/** A job as `spile check` shows it. */
export interface JobDescription {
  /** Data type, else the endpoint as written. */
  readonly label: string;
  readonly method: string;
  readonly endpoint: string;
  /** How many parents it has. */
  readonly depth: number;
  readonly records: string;
  readonly paging: string;
}

/** The jobs of a run in words, children after their parents. */
export function describeJobs(configuration: Configuration, config: RunConfig): JobDescription[] {
  return [...allJobs(config.jobs)].map(({ job, ancestors }) =>
    describeJob(job, ancestors.length, configuration.api.pagination),
  );
}

function describeJob(job: Job, depth: number, pagination: Pagination | undefined): JobDescription {
  return {
    label: jobLabel(job),
    method: job.method ?? "GET",
    endpoint: job.endpoint,
    depth,
    records: recordsText(job.dataField),
    paging: pagingText(scrollerOf(job, pagination)),
  };
}

function recordsText(dataField: DataField | undefined): string {
  const path = typeof dataField === "object" ? dataField?.path : dataField;
  if (path === undefined || path === "") return "the only list in the response";
  return path === "." ? "the whole response" : `the records at ${path}`;
}

function pagingText(scroller: Pagination | Scroller | undefined): string {
  switch (scroller?.method) {
    case "offset":
      return `pages of ${scroller.limit} by offset (${scroller.limitParam ?? "limit"}, ${scroller.offsetParam ?? "offset"})`;
    case "pagenum": {
      const size = scroller.limit === undefined ? "pages" : `pages of ${scroller.limit}`;
      return `${size} by number (${scroller.pageParam ?? "page"}, from ${scroller.firstPage ?? 1})`;
    }
    case "response.url":
      return `pages by the address at ${scroller.urlKey ?? "next_page"}`;
    case "response.param":
      return `pages by the value at ${scroller.responseParam} (${scroller.queryParam})`;
    case "cursor":
      return `pages by the ${scroller.reverse === true ? "smallest" : "greatest"} ${scroller.idKey} (${scroller.param})`;
    default:
      return "one request";
  }
}
