import type { Extent } from "../first-answer/extent.ts";
import type { FirstPage } from "../first-answer/first-page.ts";
import { byAddress, byLink, byOtherAddress } from "./address.ts";
import { nextInAnswer } from "./follow.ts";
import type { Hypothesis, HypothesisKind, HypothesisSearch, PagingKind } from "./kind.ts";
import { byLastRecord, lastRecord } from "./last-record.ts";
import { byOffset, offset } from "./offset.ts";
import { byPageNumber, byPathNumber, byZeroOrOne, pageNumber } from "./page-number.ts";
import { byContinuation, byOpaqueText, byToken, token } from "./token.ts";

/** The kinds of paging. Each has a file with its hypotheses. */
export const kinds: { readonly [Kind in HypothesisKind]: PagingKind } = {
  link: nextInAnswer,
  address: nextInAnswer,
  token,
  "last record": lastRecord,
  offset,
  "page number": pageNumber,
};

/** The searches for hypotheses, the most certain first. */
const searches: readonly HypothesisSearch[] = [
  byLink,
  byAddress,
  byContinuation,
  byToken,
  byLastRecord,
  byPathNumber,
  byPageNumber,
  byOffset,
  byZeroOrOne,
  byOtherAddress,
  byOpaqueText,
];

/** The hypotheses about the way to the second page. */
export interface Hypotheses {
  /** Ways that the answer or the request suggests, the most certain first. */
  readonly suggestions: readonly Hypothesis[];
  /** Hypotheses by the names that many APIs use to count records or pages, the likeliest first. */
  readonly guesses: readonly Hypothesis[];
  /** Hypotheses by the names that many APIs use for the id of the last record. They are tried if no counting name is found. */
  readonly guessedIds: readonly Hypothesis[];
}

/** Returns the hypotheses about the way to the second page. */
export function hypothesesOf(page: FirstPage, extent: Extent): Hypotheses {
  const all = searches.flatMap((search) => search(page, extent));
  const guesses = all.filter(({ isGuess, kind }) => isGuess && kind !== "last record");
  // APIs combine `limit` with an offset, and `per_page` with a page number.
  const size = page.requestParameters.find(({ meaning }) => meaning === "size")?.plain ?? "";
  const first = /^(limit|top|take|rows|max|count)$/.test(size) ? "offset" : "page number";
  return {
    suggestions: all.filter(({ isGuess }) => !isGuess),
    guessedIds: all.filter(({ isGuess, kind }) => isGuess && kind === "last record"),
    guesses: [...guesses.filter(({ kind }) => kind === first), ...guesses.filter(({ kind }) => kind !== first)],
  };
}
