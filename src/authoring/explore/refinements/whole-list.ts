import type { Value } from "../../../core/value.ts";
import { plainName } from "../../../knowledge/words.ts";
import { nameOf } from "../first-answer/places.ts";
import { compareRecords } from "../first-answer/same-records.ts";
import type { ToldMore } from "../first-answer/told.ts";
import type { Hypothesis, HypothesisKind } from "../hypotheses/hypothesis.ts";
import type { Prober, Refined, TriedPage } from "../trials/prober.ts";
import { finalOffset, skippingAllButOne } from "./offset.ts";
import { firstNumber } from "./page-number.ts";

type Whole = (
  hypothesis: Hypothesis,
  pages: { readonly first: TriedPage; readonly second: TriedPage },
  prober: Prober,
) => Promise<Refined | string | undefined>;

/** Where the API itself leads to an empty page, that is its end. */
const led: Whole = async ({ paging, drops, sets }) => ({ paging, drops, sets, remarks: [] });

/** Nothing may come because the value filters, and does not page. */
const unshown: Whole = async () => undefined;

const filtering = new Set(["after", "before", "from", "start", "page"]);

/** Sent in a parameter that can only be the token's, it leads as an address does. */
const token: Whole = async (hypothesis, pages, prober) => {
  const { queryParam } = hypothesis.paging;
  return filtering.has(plainName(nameOf(queryParam ?? ""))) ? undefined : led(hypothesis, pages, prober);
};

/** Page 1 is the first page and page 2 is empty, or page 1 is the second one of two. */
const pageNumber: Whole = async (hypothesis, { second }, prober) => {
  const numbered = await firstNumber(hypothesis, second, prober);
  return typeof numbered === "string" ? numbered : { ...numbered, paging: sized(numbered.paging, prober) };
};

/** Behind all records but one comes the last one, and behind all none. */
const offset: Whole = async (hypothesis, { first, second }, prober) => {
  if (first.records.length > 1) {
    const { pages, trouble } = await skippingAllButOne(hypothesis, prober);
    if (trouble !== "" || !isLast(pages[0]?.records ?? [], first.records)) return undefined;
  } else if (hypothesis.guessed) return undefined;
  return finalOffset({ ...hypothesis, paging: sized(hypothesis.paging, prober) }, second, [], prober);
};

const kinds: { readonly [Kind in HypothesisKind]: Whole } = {
  link: led,
  address: led,
  token,
  "last record": unshown,
  cursor: unshown,
  offset,
  "page number": pageNumber,
};

/**
 * A paging whose second page is empty: in its final form where that shows that the first page holds all records, so that
 * more of them will be found once there are; undefined where it does not. A text says why it cannot be.
 */
export const refineWhole: Whole = async (hypothesis, pages, prober) =>
  owes(prober.told, pages.first.records.length) ? undefined : kinds[hypothesis.kind](hypothesis, pages, prober);

/** Is it the last record of the list, and nothing more? */
export function isLast(records: readonly Value[], list: readonly Value[]): boolean {
  return records.length === 1 && compareRecords(list.slice(-1), records).kind === "same";
}

/** Does the API say that there are more than these? */
export function owes({ total, pages, flag }: ToldMore, count: number): boolean {
  return (total?.total ?? 0) > count || (pages?.count ?? 0) > 1 || flag?.more === true;
}

/** The page size that was asked for, not what came: the page was not full. The API may give smaller ones, so the end is asked for. */
export function sized(paging: Refined["paging"], { page }: Prober): Refined["paging"] {
  if (paging.limit === undefined) return paging;
  const name = nameOf(paging.limitParam ?? "limit");
  const asked = page.given.find(({ place }) => nameOf(place) === name);
  const limit = Math.max(Number(asked?.value ?? 0), page.place.records.length);
  return { ...paging, limit, probeEnd: true };
}
