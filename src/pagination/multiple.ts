import { SpileError } from "../core/errors.ts";
import type { Job, Pagination, Scroller } from "../generated/configuration.ts";

/** The scroller of a job for which none is configured. */
export const noPaging: Scroller = { method: "none" };

/**
 * Returns the scroller of a job. With `multiple` it is the one that the job names, else the one that `default` names, else one
 * called `default`, else none (contract C-6.18). Throws SpileError("configuration") for an unknown name.
 */
export function select(pagination: Pagination | undefined, name: string | undefined): Scroller {
  if (pagination === undefined) return noPaging;
  if (pagination.method !== "multiple") return pagingOf(pagination);
  const { scrollers, nextPageFlag, forceStop, limitStop, pageCount, evidence } = pagination;
  const shared = withoutUndefined({ nextPageFlag, forceStop, limitStop, pageCount, evidence });
  const scrollerName = name || pagination.default || undefined;
  const chosen = scrollerName ?? "default";
  const scroller = Object.hasOwn(scrollers, chosen) ? scrollers[chosen] : undefined;
  if (scroller !== undefined) return withShared(pagingOf(scroller), shared);
  if (scrollerName === undefined) return withShared(noPaging, shared);
  const scrollerNames = Object.keys(scrollers).map((key) => JSON.stringify(key));
  throw new SpileError(
    "configuration",
    `no scroller ${JSON.stringify(scrollerName)}; there are ${scrollerNames.join(", ")}`,
  );
}

/** Returns whether the configuration declares that the job has one page. If it says nothing, there may be more. */
export function isOnePage(pagination: Pagination | undefined, name: string | undefined): boolean {
  if (pagination?.method !== "multiple") return pagination?.method === "none";
  const chosen = name || pagination.default || "default";
  return Object.hasOwn(pagination.scrollers, chosen) && pagination.scrollers[chosen]?.method === "none";
}

type Shared = Pick<
  Extract<Pagination, { method: "multiple" }>,
  "nextPageFlag" | "forceStop" | "limitStop" | "pageCount" | "evidence"
>;

/**
 * Returns a scroller, with the fields that it lacks taken from those beside `scrollers`, as in Generic Extractor. With the method
 * `none`, it takes only `evidence`: the other fields are stop rules, and there is only one page.
 */
function withShared(scroller: Scroller, shared: Shared): Scroller {
  if (scroller.method !== "none") return { ...shared, ...scroller };
  return shared.evidence === undefined ? scroller : { evidence: shared.evidence, ...scroller };
}

function withoutUndefined<T extends object>(values: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

/** Returns the paging of a scroller. An empty object is no paging, as in Generic Extractor. */
function pagingOf(scroller: Scroller): Scroller {
  return (scroller.method as string | undefined) === undefined ? noPaging : scroller;
}

/** Returns a job's scroller for checks: as configured, without shared fields. Undefined if no scroller has the name. */
export function scrollerOf(job: Pick<Job, "scroller">, pagination: Pagination | undefined): Scroller | undefined {
  if (pagination?.method !== "multiple") return pagination;
  const name = job.scroller ?? pagination.default ?? "default";
  return Object.hasOwn(pagination.scrollers ?? {}, name) ? pagination.scrollers[name] : undefined;
}
