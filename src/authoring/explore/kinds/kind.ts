import { exactNumber, type Value, type ValueObject } from "../../../core/values/value.ts";
import { readAnswer } from "../first-answer/answer.ts";
import type { Extent } from "../first-answer/extent.ts";
import {
  type FirstPage,
  fieldsOf,
  flagField,
  isHeader,
  keyOf,
  type PageField,
  type Placed,
  pathValue,
  placeText,
} from "../first-answer/first-page.ts";
import { compareRecords } from "../first-answer/same-records.ts";
import type { Exchanged } from "../trials/exchange-memory.ts";
import type { FinalPaging, Prober, TriedPage } from "../trials/prober.ts";

/** The ways to reach the second page. */
export type HypothesisKind = "link" | "address" | "token" | "last record" | "offset" | "page number";

/** One way in which an API may page, as a configuration that a run can try. Plain data. */
export interface Hypothesis {
  readonly kind: HypothesisKind;
  /** Name for the user: `offset paging by "skip"`. */
  readonly label: string;
  /** Reason why the hypothesis is worth a try: a sign in the first answer or the request. */
  readonly reason: string;
  /** True if the only reason is that many APIs use the name. */
  readonly isGuess: boolean;
  /** `api.pagination` for the trial. */
  readonly paging: ValueObject;
  /** Keys of the request's parameters that are dropped, because the paging sends them itself. */
  readonly drops: readonly string[];
  /** Parameters that the job gets in addition: the position of the first page, or a changed GraphQL query. */
  readonly sets?: readonly Placed[] | undefined;
  /** The value that is sent for the second page, if it is known: a token, or the last record's id. */
  readonly value?: Value | undefined;
  /** Name of a group of hypotheses that send the same value. The likeliest is tried first, then one request tries all others. */
  readonly group?: string | undefined;
  /** Address with a placeholder for the number in its path; undefined if the address stays unchanged. */
  readonly address?: string | undefined;
  /** A field of the first page whose number must be greater by `by` on the second page, if that has the field. */
  readonly echo?: { readonly field: PageField; readonly by: number } | undefined;
}

/** Returns the hypotheses about one way of paging. `page` is the first page, `extent` the API's statements about the number of records. */
export type HypothesisSearch = (page: FirstPage, extent: Extent) => readonly Hypothesis[];

/** Result of testing a hypothesis. */
export interface TestResult {
  /** The final form of the hypothesis, or the reason why it does not hold. */
  readonly verdict: FinalPaging | string;
  /** True if no requests were left to test the hypothesis. */
  readonly isOutOfRequests: boolean;
  /** Reason why the hypothesis may hold although it was refused. */
  readonly doubt?: string | undefined;
  /** Evidence of more records than the first page has, if the hypothesis does not hold. */
  readonly more?: string;
}

/** Completes the test of a hypothesis by its second page. Returns its final form, or the reason why it does not hold. */
export type Refine = (
  hypothesis: Hypothesis,
  pages: { readonly first: TriedPage; readonly second: TriedPage },
  prober: Prober,
) => Promise<FinalPaging | string>;

/** The verdict on a hypothesis with an empty second page, if that does not prove the end of the list. */
export const secondIsEmpty = "does not hold: the second page is empty";

/** A kind of paging, with the tests of its hypotheses. */
export interface PagingKind {
  /**
   * Tests a guess by a request of its own. If the function is absent or returns undefined, the guess is tested by its second page,
   * like any other hypothesis.
   */
  readonly testGuess?: (hypothesis: Hypothesis, prober: Prober) => Promise<TestResult | undefined>;
  /** Completes the test if the second page has other records. */
  readonly refine: Refine;
  /** Completes the test if the second page is empty. The hypothesis holds if that shows that the first page holds all records. */
  readonly refineWhole: Refine;
}

/** Converts an offset hypothesis to page numbers, counted from 0 by the same parameter. */
export function countingPages(hypothesis: Hypothesis): Hypothesis {
  const place = hypothesis.paging.offsetParam ?? "offset";
  const paging = { method: "pagenum", pageParam: place, firstPage: 0, firstPageParams: false };
  return {
    ...hypothesis,
    kind: "page number",
    label: `page numbers by ${placeText(place)}`,
    reason: "a parameter that is called an offset may count pages",
    paging,
    drops: [],
    sets: undefined,
    echo: undefined,
  };
}

/** Returns a paging that sends the value at `responseParam` of each response at `queryParam` of the next request. */
export function responseParamPaging(page: FirstPage, responseParam: Value, queryParam: Value): ValueObject {
  const hasParameters = page.requestParameters.some(({ place }) => !isHeader(place));
  return { method: "response.param", responseParam, queryParam, ...(hasParameters ? { includeParams: true } : {}) };
}

/** Returns the records of the page that a paging requests first; undefined if they could not be requested. */
export async function firstRecords(
  paging: ValueObject,
  drops: readonly string[],
  prober: Prober,
): Promise<TriedPage["records"] | undefined> {
  const { pages, trouble, isOutOfRequests } = await prober.try(paging, drops, 1);
  return isOutOfRequests || trouble !== "" ? undefined : pages[0]?.records;
}

/** Returns the fields that end a paging by a flag of the API. */
export function stopBy({ field, stopOn }: NonNullable<Extent["flag"]>): ValueObject {
  return { nextPageFlag: { field: flagField(field), stopOn } };
}

/** Returns the fields that end the paging by the API's flag for more records; undefined unless both pages contain the flag. */
export function flagOn(second: TriedPage, { extent, page }: Prober): ValueObject | undefined {
  const { flag } = extent;
  if (flag === undefined || !flag.more) return undefined;
  const hasFlag = fieldsOf(second.document, page.place.path).some(
    ({ path, value }) => typeof value === "boolean" && path.join("\0") === flag.field.path.join("\0"),
  );
  return hasFlag ? stopBy(flag) : undefined;
}

/** Returns whether `records` holds only the last record of `list`. */
export function isLast(records: readonly Value[], list: readonly Value[]): boolean {
  return records.length === 1 && compareRecords(list.slice(-1), records).kind === "same";
}

/** Returns whether the API says that there are more than `count` records. */
export function promisesMore({ total, pages, flag }: Extent, count: number): boolean {
  return (total?.number ?? 0) > count || (pages?.number ?? 0) > 1 || flag?.more === true;
}

/**
 * Sets the limit to the requested page size, since the page that came was not full. The API may have a smaller maximum, so a run
 * probes the end.
 */
export function withRequestedSize(paging: FinalPaging["paging"], { page }: Prober): FinalPaging["paging"] {
  if (paging.limit === undefined) return paging;
  const key = keyOf(paging.limitParam ?? "limit");
  const sizeParameter = page.requestParameters.find((parameter) => parameter.key === key);
  const limit = Math.max(Number(sizeParameter?.value ?? 0), page.place.records.length);
  return { ...paging, limit, probeEnd: true };
}

/** Matches words about pages in the message of a refusal. */
const pageWords = /\b(pages?|offset|ranges?|no more|last)\b/i;

/**
 * Returns the rule for `api.http.responses` by which a refusal after the last page ends the job. Undefined unless it is a 416, or
 * a 404 whose message mentions pages: an API may refuse a page for another reason, such as a limit.
 */
export function endRule({ response }: Exchanged): ValueObject | undefined {
  const { status } = response;
  const then = "empty";
  if (status === 416) return { when: { status: exactNumber("416") }, then };
  if (status !== 404) return undefined;
  const answer = readAnswer(response);
  if (answer.kind !== "json") return undefined;
  const message = fieldsOf(answer.document, []).find(
    ({ value }) => typeof value === "string" && value.length <= 100 && pageWords.test(value),
  );
  if (message === undefined) return undefined;
  const { path, value } = message;
  return { when: { status: exactNumber("404"), ...pathValue(path), ...textCondition(String(value)) }, then };
}

/** Returns the field of a rule that matches a text, with any numbers in place of those in it. */
function textCondition(text: string): ValueObject {
  if (!/[0-9]/.test(text)) return { is: text };
  const pattern = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/[0-9]+/g, "[0-9]+");
  return { matches: `^${pattern}$` };
}
