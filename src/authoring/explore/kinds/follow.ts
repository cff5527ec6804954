import { counted } from "../../../core/text/counted.ts";
import type { Value } from "../../../core/values/value.ts";
import { compareRecords } from "../first-answer/same-records.ts";
import { type FinalPaging, type Prober, requestText, type TriedPage } from "../trials/prober.ts";
import type { Hypothesis, PagingKind } from "./kind.ts";

/** Paging in which the answer names the next page. Its test follows the pages to the end, where the last one may be empty. */
export const nextInAnswer: PagingKind = {
  refine: (hypothesis, _pages, prober) => followToTheEnd(hypothesis, prober),
  refineWhole: async ({ paging, drops, sets }) => ({ paging, drops, sets, remarks: [] }),
};

/**
 * Follows a paging whose second page has other records, as long as requests are left. Checks that each page has new records, and
 * finds the end. Returns the reason if the hypothesis does not hold.
 */
async function followToTheEnd(hypothesis: Hypothesis, prober: Prober): Promise<FinalPaging | string> {
  const { paging, drops, sets } = hypothesis;
  const most = 2 + prober.memory.remainingRequests;
  const { pages, trouble, isOutOfRequests } = await prober.try(paging, drops, most, sets);
  const hasEnded = trouble === "" && !isOutOfRequests && pages.length < most;
  const { records, repeated } = joined(pages);
  if (repeated !== undefined && !(hasEnded && repeated === pages.length - 1)) {
    const page = pages[repeated];
    return `does not hold: page ${repeated + 1}${page === undefined ? "" : `, ${requestText(page.exchanged)},`} holds records of the pages before it`;
  }
  const kept = { paging, drops, sets };
  if (hasEnded)
    return { ...kept, remarks: [`${endText(pages, repeated)}: ${counted(records.length, "record")} in all`] };
  const areEmpty = pages.slice(-2).every((page) => page.records.length === 0);
  if (areEmpty) {
    // The API names a next page on every page, so only a total of all records can mark the end.
    const { total } = prober.extent;
    if (total?.source === undefined || records.length < total.number)
      return `does not hold: page ${pages.length - 1} and page ${pages.length} are empty, but the API still names a next page`;
    const stop = { limitStop: { field: total.source } };
    return {
      ...kept,
      paging: { ...paging, ...stop },
      remarks: [`when ${total.shownText} is reached, the API still names next pages, which are empty`],
    };
  }
  const why = trouble === "" ? prober.memory.stopReason : trouble;
  const note = `the last page was not reached (${why}): a run continues to it, and reports how it ended`;
  return { ...kept, remarks: [], notes: [note] };
}

function endText(pages: readonly TriedPage[], repeated: number | undefined): string {
  if (repeated !== undefined) return `page ${pages.length} repeats earlier records, and a run ends there`;
  const empty = pages.at(-1)?.records.length === 0 ? ", which is empty" : "";
  return `page ${pages.length} is the last${empty}`;
}

/** Returns the records of all pages up to the first one that repeats earlier records, and the index of that page in `repeated`. */
function joined(pages: readonly TriedPage[]): {
  readonly records: readonly Value[];
  readonly repeated: number | undefined;
} {
  let records: readonly Value[] = [];
  for (const [index, page] of pages.entries()) {
    if (index > 0 && compareRecords(records, page.records).kind === "same") return { records, repeated: index };
    records = [...records, ...page.records];
  }
  return { records, repeated: undefined };
}
