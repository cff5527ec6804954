import type { FirstPage } from "../first-answer/first-page.ts";
import { sizeNames } from "../first-answer/names.ts";
import type { ToldMore } from "../first-answer/told.ts";
import { byOffset, byPageNumber, byZeroOrOne } from "./counting.ts";
import type { Hypothesis, Look } from "./hypothesis.ts";
import { byLastRecord } from "./last-record.ts";
import { byAddress, byContinuation, byLink, byOpaqueText, byOtherAddress, byToken } from "./leading.ts";

/** The surest first. */
const looks: readonly Look[] = [
  byLink,
  byAddress,
  byContinuation,
  byToken,
  byLastRecord,
  byPageNumber,
  byOffset,
  byZeroOrOne,
  byOtherAddress,
  byOpaqueText,
];

/** Ways to the second page. */
export interface Hypotheses {
  /** What the API gives to be followed, then what its answer or the request speaks for; the surest first. */
  readonly hinted: readonly Hypothesis[];
  /** Names that many APIs use to count records or pages; the likeliest first. */
  readonly guessed: readonly Hypothesis[];
  /** Names that many APIs use for the last record's id, where nothing counts. */
  readonly guessedIds: readonly Hypothesis[];
}

/** What may lead to the second page. */
export function hypothesesOf(page: FirstPage, told: ToldMore): Hypotheses {
  const all = looks.flatMap((look) => look(page, told));
  const guesses = all.filter(({ guessed, kind }) => guessed && kind !== "last record");
  // A `limit` goes with an offset, a `per_page` with a page number.
  const size = page.given.find(({ plain }) => sizeNames.has(plain))?.plain ?? "";
  const first = /^(limit|top|take|rows|max|count)$/.test(size) ? "offset" : "page number";
  return {
    hinted: all.filter(({ guessed }) => !guessed),
    guessedIds: all.filter(({ guessed, kind }) => guessed && kind === "last record"),
    guessed: [...guesses.filter(({ kind }) => kind === first), ...guesses.filter(({ kind }) => kind !== first)],
  };
}
