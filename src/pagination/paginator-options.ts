import type { Remedies } from "../core/field-name.ts";
import type { Build, Parameter } from "../core/requests/request.ts";
import type { Value } from "../core/values/value.ts";

/** Facts about the job that methods which follow addresses need. */
export interface PaginatorOptions {
  /** `api.http.defaultOptions.params`, evaluated. GE sends them with every request, to next-page addresses too. */
  readonly defaults: readonly Parameter[];
  /** Builds the scroll request of `response.param`. */
  readonly build: Build | undefined;
  /** Evaluates the expressions in a value of the scroller. */
  evaluate(value: Value): Value;
  readonly remedies?: Remedies | undefined;
}
