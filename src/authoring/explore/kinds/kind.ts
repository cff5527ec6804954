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
import type { Prober, Refined, TriedPage } from "../trials/prober.ts";

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
  /** Names of the job's parameters that are dropped, because the paging sends them itself. */
  readonly drops: readonly string[];
  /** Parameters that the job gets in addition, with which the paging begins. */
  readonly sets?: readonly Placed[] | undefined;
  /** The value that is sent for the second page, if it is known: a token, or the last record's id. */
  readonly value?: Value | undefined;
  /** Name of a group of hypotheses that send the same value. The likeliest is tried first, then one request tries all others. */
  readonly group?: string | undefined;
  /** Address with a placeholder for the number in its path; undefined if the address stays unchanged. */
  readonly address?: string | undefined;
  /** A field of the answer whose number must grow by `by` from the first page to the second. */
  readonly echo?: { readonly field: PageField; readonly by: number } | undefined;
}

/** Returns the hypotheses about one way of paging. `page` is the first page, `extent` the API's statements about the number of records. */
export type HypothesisSearch = (page: FirstPage, extent: Extent) => readonly Hypothesis[];

/** Result of testing a hypothesis. */
export interface Tested {
  /** The final form of the hypothesis, or the reason why it does not hold. */
  readonly verdict: Refined | string;
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
) => Promise<Refined | string>;

/** The reason why a hypothesis does not hold if its empty second page may have another cause than the end of the list. */
export const secondIsEmpty = "does not hold: the second page is empty";

/** A kind of paging, with the tests of its hypotheses. */
export interface PagingKind {
  /**
   * Tests a guessed hypothesis in the way of this kind. If the function is absent or returns undefined, the second page is the
   * test.
   */
  readonly testGuess?: (hypothesis: Hypothesis, prober: Prober) => Promise<Tested | undefined>;
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

/** Returns a paging that sends a value of each response in the next request, at a place. */
export function sendingOn(page: FirstPage, responseParam: Value, queryParam: Value): ValueObject {
  const hasParameters = page.requestParameters.some(({ place }) => !isHeader(place));
  return { method: "response.param", responseParam, queryParam, ...(hasParameters ? { includeParams: true } : {}) };
}

/** Returns the records of the page that a paging requests first; undefined if it could not be tried. */
export async function startingWith(
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
 * Sets the limit to the requested page size: the received page was not full, so its length is not the size. The API may have a
 * smaller maximum, so further tests look for the end.
 */
export function withRequestedSize(paging: Refined["paging"], { page }: Prober): Refined["paging"] {
  if (paging.limit === undefined) return paging;
  const key = keyOf(paging.limitParam ?? "limit");
  const sizeParameter = page.requestParameters.find((parameter) => parameter.key === key);
  const limit = Math.max(Number(sizeParameter?.value ?? 0), page.place.records.length);
  return { ...paging, limit, probeEnd: true };
}

/** Matches words about pages in the message of a refusal. */
const speaksOfPages = /\b(pages?|offset|ranges?|no more|last)\b/i;

/**
 * Returns the rule for `api.http.responses` by which a refusal after the last page ends the job; undefined if the refusal may
 * mean something else. Only 416, and a 404 whose message mentions pages, are certain: an API may also refuse pages beyond some
 * limit.
 */
export function endRule({ response }: Exchanged): ValueObject | undefined {
  const { status } = response;
  const then = "empty";
  if (status === 416) return { when: { status: exactNumber("416") }, then };
  if (status !== 404) return undefined;
  const answer = readAnswer(response);
  if (answer.kind !== "json") return undefined;
  const said = fieldsOf(answer.document, []).find(
    ({ value }) => typeof value === "string" && value.length <= 100 && speaksOfPages.test(value),
  );
  if (said === undefined) return undefined;
  const { path, value } = said;
  return { when: { status: exactNumber("404"), ...pathValue(path), ...wording(String(value)) }, then };
}

/** Returns the fields of a rule that match a text, with any numbers in the places of its numbers. */
function wording(text: string): ValueObject {
  if (!/[0-9]/.test(text)) return { is: text };
  const pattern = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/[0-9]+/g, "[0-9]+");
  return { matches: `^${pattern}$` };
}
