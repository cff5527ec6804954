import type { Fault } from "../core/errors.ts";
import type { ExpressionPlace } from "../expression/place.ts";
import type { Job } from "../generated/configuration.ts";
import type { Paginator } from "./paginator.ts";
import type { Surroundings } from "./surroundings.ts";

/** What no schema can tell of a part of the configuration. */
export interface Found {
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

/** A method of paging: all that is known of it. `S` is its part of the configuration. */
export interface PagingMethod<S> {
  create(scroller: S, surroundings: Surroundings): Paginator;
  /** Where its expressions stand; `at` is the pointer of the scroller. */
  places(scroller: S, at: string): readonly ExpressionPlace[];
  /** What is wrong with it, and what is hardly meant. */
  check(scroller: S, at: string): Found;
  /** The same of a job that is paged by it; `at` is the pointer of the job. */
  checkJob(scroller: S, job: Job, at: string): Found;
}

export const nothingFound: Found = { faults: [], warnings: [] };
