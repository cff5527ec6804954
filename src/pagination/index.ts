import type { Remedies } from "../core/field-name.ts";
import type { Build, OwnParameter, Parameter } from "../core/requests/request.ts";
import type { PageSummary } from "../core/runs/page.ts";
import { isObject, type Value } from "../core/values/value.ts";
import type { Pagination } from "../generated/configuration.ts";
import { compose, doubtsAfterOnePage } from "./compose.ts";
import type { Objection } from "./evidence.ts";
import { methodOf } from "./methods.ts";
import { isOnePage, select } from "./multiple.ts";
import type { Paginator } from "./paginator.ts";
import { initAdvice, optionsFor, remedyFor } from "./remedy.ts";
import type { Scroll } from "./scroll.ts";
import { flagSource } from "./stop/next-page-flag.ts";
import { stopRules } from "./stop/rules.ts";
import type { Judging } from "./verdict.ts";

export { endpointNames } from "./endpoint-names.ts";
export type { Objection } from "./evidence.ts";
export { ownParameters } from "./own-parameters.ts";
export type { Advance, Position, Scroll } from "./scroll.ts";
export { SeenPages } from "./seen-pages.ts";

export interface ScrollOptions {
  /** The job's `scroller`. */
  readonly scroller?: string | undefined;
  /** `--probe-end`, which acts like `probeEnd: true` of the scroller. */
  readonly probeEnd?: boolean | undefined;
  /** `--max-pages`. */
  readonly maxPages?: number | undefined;
  /**
   * `api.http.defaultOptions.params`, evaluated. Unlike the job's own parameters, they are also sent to next-page addresses, as in
   * Generic Extractor.
   */
  readonly defaults?: readonly Parameter[] | undefined;
  /** The job's `evidence`. */
  readonly evidence?: boolean | undefined;
  /** Needed by `response.param` with a `scrollRequest`. */
  readonly build?: Build | undefined;
  /** Evaluates expressions of the scroller. If absent, values stay as written. */
  readonly evaluate?: ((value: Value) => Value) | undefined;
  readonly remedies?: Remedies | undefined;
  /** The job's data field as written, for the message if it is missing. */
  readonly dataField?: string | undefined;
  /** True if the records are in lists inside the elements that paging counts. */
  readonly isNested?: boolean | undefined;
}

/** Returns the paging of one job. Throws SpileError("configuration") for a scroller that does not exist. */
export function createScroll(pagination: Pagination | undefined, options: ScrollOptions = {}): Scroll {
  const { paginator, judging } = partsOf(pagination, options);
  return compose(paginator, judging);
}

/** Returns the doubts that a job without paging would have about its end after this page. */
export function doubtsWithoutPaging(summary: PageSummary): readonly Objection[] {
  return doubtsAfterOnePage(summary, partsOf(undefined, {}).judging);
}

function partsOf(
  pagination: Pagination | undefined,
  options: ScrollOptions,
): { readonly paginator: Paginator; readonly judging: Judging } {
  const scroller = select(pagination, options.scroller);
  const paginator = methodOf(scroller).create(scroller, {
    defaults: options.defaults ?? [],
    build: options.build,
    evaluate: options.evaluate ?? asWritten,
    remedies: options.remedies,
  });
  const judging: Judging = {
    rules: stopRules(scroller, paginator.requestsNamePage, options.maxPages),
    evidence: scroller.evidence !== false && options.evidence !== false,
    flag: "nextPageFlag" in scroller && scroller.nextPageFlag ? flagSource(scroller.nextPageFlag) : undefined,
    methodSources: paginator.sources ?? [],
    isUnpaged: scroller.method === "none" && !isOnePage(pagination, options.scroller),
    mayCountRemaining: paginator.skipped === undefined,
    onePage: options.remedies === "options" ? "--paging none" : '"pagination": {"method": "none"}',
    remedy: (more) => {
      if (more === undefined) return scroller.method === "none" ? initAdvice : undefined;
      return (options.remedies === "options" ? optionsFor(more) : undefined) ?? remedyFor(more, scroller.method);
    },
    hasPages: scroller.method !== "none",
    probeEnd: options.probeEnd === true || ("probeEnd" in scroller && scroller.probeEnd === true),
    countsElements: options.isNested === true && scroller.method === "offset",
    dataField: options.dataField,
    remedies: options.remedies,
  };
  return { paginator, judging };
}

/**
 * Describes a job's paging for `spile check` and `spile plan`. `parameters`: the job's own parameters as written, without
 * expressions. Throws SpileError("configuration") for a size or offset that paging cannot use.
 */
export function describe(
  pagination: Pagination | undefined,
  job: { readonly scroller?: string | undefined; readonly parameters?: readonly OwnParameter[] },
): string {
  const scroller = select(pagination, job.scroller);
  const paginator = methodOf(scroller).create(scroller, { defaults: [], build: undefined, evaluate: asWritten });
  const words = stopRules(scroller, false, undefined).map((rule) => rule.words);
  const fixedParameters = (job.parameters ?? []).filter(({ value }) => !isObject(value));
  return [paginator.describe(fixedParameters), ...words.filter((text) => text !== "")].join(", ");
}

function asWritten(value: Value): Value {
  return value;
}
