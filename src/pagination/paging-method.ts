import type { Fault } from "../core/errors.ts";
import type { ExpressionPlace } from "../expression/place.ts";
import type { Paginator } from "./paginator.ts";
import type { Surroundings } from "./surroundings.ts";

/** A method of paging: all that is known of it. `S` is its part of the configuration. */
export interface PagingMethod<S> {
  /** Makes the paginator of a job. */
  create(scroller: S, surroundings: Surroundings): Paginator;
  /** Where its expressions stand; `at` is the pointer of the scroller. */
  places(scroller: S, at: string): readonly ExpressionPlace[];
  /** What no schema can tell; `at` is the pointer of the scroller. */
  check(scroller: S, at: string): readonly Fault[];
  /** The parameters of a job that it reads, as integers. */
  ownIntegers(scroller: S): readonly OwnInteger[];
}

/** A parameter of a job's own that must be an integer. */
export interface OwnInteger {
  readonly name: string;
  readonly minimum: number;
  /** What it is to the job: "page size". */
  readonly what: string;
}
