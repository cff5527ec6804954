import type { Remedies } from "../core/field-name.ts";
import type { Build, Parameter } from "../core/requests/request.ts";
import type { Value } from "../core/values/value.ts";

/** Facts about a job and functions that some paging methods need. */
export interface PaginatorOptions {
  /**
   * `api.http.defaultOptions.params`, evaluated. As in Generic Extractor, they are sent with every request, even to next-page
   * addresses.
   */
  readonly defaults: readonly Parameter[];
  /** Builds the scroll request of `response.param`. */
  readonly build: Build | undefined;
  /** Evaluates the expressions in a value of the scroller. */
  evaluate(value: Value): Value;
  readonly remedies?: Remedies | undefined;
}
