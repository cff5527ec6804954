import { exactNumber, type Value, type ValueObject } from "../../../core/values/value.ts";
import { readAnswer } from "../first-answer/answer.ts";
import type { Extent } from "../first-answer/extent.ts";
import {
  delimiterOf,
  type FirstPage,
  fieldsOf,
  flagField,
  keyOf,
  type PageField,
  type Placed,
} from "../first-answer/first-page.ts";
import { compareRecords } from "../first-answer/same-records.ts";
import type { Exchanged } from "../trials/exchange-memory.ts";
import type { Prober, Refined, TriedPage } from "../trials/prober.ts";

/** Ways to the second page. */
export type HypothesisKind = "link" | "address" | "token" | "last record" | "offset" | "page number";

/** One way in which an API may page, as a configuration that a run can try. Plain data. */
export interface Hypothesis {
  readonly kind: HypothesisKind;
  /** Name for people: `offset paging by "skip"`. */
  readonly label: string;
  /** Reason why it is worth a try: a sign in the first answer or the request. */
  readonly because: string;
  /** Whether nothing speaks for it but that many APIs use the name. */
  readonly guessed: boolean;
  /** `api.pagination` for the trial. */
  readonly paging: ValueObject;
  /** Parameters of the job (their own names) that the paging sends itself. */
  readonly drops: readonly string[];
  /** Parameters that the job gains: the beginning of the paging. */
  readonly sets?: readonly Placed[] | undefined;
  /** The value that it sends for the second page, if it is known: a token, or the last record's id. */
  readonly value?: Value | undefined;
  /** Name of the group of hypotheses that send the same value: after the likeliest all others go in one request. */
  readonly group?: string | undefined;
  /** Address of the request with the place of the number in its path; undefined if it stays as it is. */
  readonly address?: string | undefined;
  /** A field of the first answer that must have grown by `by` in the second. */
  readonly echo?: { readonly field: PageField; readonly by: number } | undefined;
}

/** Looks for one way of paging in the first answer and what it states. */
export type Look = (page: FirstPage, extent: Extent) => readonly Hypothesis[];

/** Result of testing a hypothesis. */
export interface Tested {
  /** Its final form, or why it does not hold. */
  readonly verdict: Refined | string;
  /** Whether it could not be tried, for want of requests. */
  readonly refused: boolean;
  /** Reason why it may hold although it was refused. */
  readonly doubt?: string | undefined;
  /** Evidence of more records than those of the first page, although it does not hold. */
  readonly more?: string;
}

/** Shows what is left to be shown of a hypothesis whose second page has other records. A text says why it does not hold. */
export type Refine = (
  hypothesis: Hypothesis,
  pages: { readonly first: TriedPage; readonly second: TriedPage },
  prober: Prober,
) => Promise<Refined | string>;

/** Returns the final form of a paging whose second page is empty, if that shows that the first page holds all records. A text says why it cannot be. */
export type Whole = (
  hypothesis: Hypothesis,
  pages: { readonly first: TriedPage; readonly second: TriedPage },
  prober: Prober,
) => Promise<Refined | string | undefined>;

/** A kind of paging: how one of its hypotheses is shown to hold. */
export interface PagingKind {
  /** Tests a hypothesis for which nothing speaks in the kind's own way; others are tested by their second page. */
  readonly testGuess?: (hypothesis: Hypothesis, prober: Prober) => Promise<Tested | undefined>;
  /** Applies if the second page has other records. */
  readonly refine: Refine;
  /** Applies if the second page is empty. */
  readonly refineWhole: Whole;
}

/** The records of the first page that a paging asks for; undefined if that could not be tried. */
export async function startingWith(
  paging: ValueObject,
  drops: readonly string[],
  prober: Prober,
): Promise<TriedPage["records"] | undefined> {
  const { pages, trouble, refused } = await prober.try(paging, drops, 1);
  return refused || trouble !== "" ? undefined : pages[0]?.records;
}

/** Returns the fields of a paging that end it by a flag of the API. */
export function stopBy({ field, stopOn }: NonNullable<Extent["flag"]>): ValueObject {
  return { nextPageFlag: { field: flagField(field), stopOn } };
}

/** Returns the stop by the flag that says that there is more, if both pages carry it. */
export function flagOn(second: TriedPage, { extent, page }: Prober): ValueObject | undefined {
  const { flag } = extent;
  if (flag === undefined || !flag.more) return undefined;
  const again = fieldsOf(second.document, page.place.path).some(
    ({ path, value }) => typeof value === "boolean" && path.join("\0") === flag.field.path.join("\0"),
  );
  return again ? stopBy(flag) : undefined;
}

/** Returns whether these records are the last one of the list, and nothing more. */
export function isLast(records: readonly Value[], list: readonly Value[]): boolean {
  return records.length === 1 && compareRecords(list.slice(-1), records).kind === "same";
}

/** Returns whether the API says that there are more records than these. */
export function owes({ total, pages, flag }: Extent, count: number): boolean {
  return (total?.total ?? 0) > count || (pages?.count ?? 0) > 1 || flag?.more === true;
}

/** The page size that was asked for, not what came: the page was not full. The API may give smaller ones, so the end is asked for. */
export function sized(paging: Refined["paging"], { page }: Prober): Refined["paging"] {
  if (paging.limit === undefined) return paging;
  const key = keyOf(paging.limitParam ?? "limit");
  const asked = page.given.find((given) => given.key === key);
  const limit = Math.max(Number(asked?.value ?? 0), page.place.records.length);
  return { ...paging, limit, probeEnd: true };
}

/** Words for pages in a message that refuses one. */
const speaksOfPages = /\b(pages?|offset|ranges?|no more|last)\b/i;

/**
 * The rule of `api.http.responses` by which a refusal behind the last page ends the pages; undefined if the refusal may mean
 * something else. Only 416, and a 404 that speaks of pages, are sure: an API may refuse any page above a limit of its own.
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
  const delimiter = delimiterOf(path);
  const place = { path: path.join(delimiter), ...(delimiter === "." ? {} : { delimiter }) };
  return { when: { status: exactNumber("404"), ...place, ...wording(String(value)) }, then };
}

/** The very words, whatever numbers are in them. */
function wording(text: string): ValueObject {
  if (!/[0-9]/.test(text)) return { is: text };
  const pattern = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/[0-9]+/g, "[0-9]+");
  return { matches: `^${pattern}$` };
}
