import type { Fault } from "../core/errors.ts";
import type { ExpressionPlace } from "../expression/place.ts";
import type { Job } from "../generated/configuration.ts";
import type { Paginator } from "./paginator.ts";
import type { PaginatorOptions } from "./paginator-options.ts";

/** The faults and warnings in a part of the configuration that the schema cannot find. */
export interface CheckFindings {
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

/** Everything that depends on the method of paging. `S`: the method's part of the configuration. */
export interface PagingMethod<S> {
  create(scroller: S, options: PaginatorOptions): Paginator;
  /** Returns the places of the expressions in a scroller. `pointer`: the pointer of the scroller. */
  places(scroller: S, pointer: string): readonly ExpressionPlace[];
  /** Returns the faults of a scroller, and warnings about probable mistakes. */
  check(scroller: S, pointer: string): CheckFindings;
  /** Returns the faults of a job that uses the scroller, and warnings. `pointer`: the pointer of the job. */
  checkJob(scroller: S, job: Job, pointer: string): CheckFindings;
}

export const nothingFound: CheckFindings = { faults: [], warnings: [] };
