import { counted } from "../../core/counted.ts";
import { allCame } from "../evidence.ts";
import type { StopRule } from "../paginator.ts";
import { repeats } from "../scroll-progress.ts";

/** Stops at a page that only repeats the one before it; its records are not written (contract C-6.6). */
export const repeatedPage: StopRule = {
  rank: "word",
  stop: (summary, progress) =>
    repeats(summary, progress)
      ? {
          kind: "complete",
          repeated: true,
          text: `page ${progress.pages} repeats the ${counted(summary.records, "record")} of the page before it`,
          // An API may well answer any page with the same single object.
          doubt: summary.single ? undefined : "the API ignores the paging parameters, or repeats its last page",
        }
      : undefined,
  words: "",
};

/** So many earlier pages in a row are no chance: the API goes round. Fewer may be, where records have no ids and pages are small. */
const mostEarlier = 1000;

/**
 * Stops at an earlier page, unwritten, where all has come that the API tells of: behind its last page it begins anew. Without
 * such a total an earlier page may hold equal records by chance, and only many of them in a row are the end.
 */
export const earlierPage: StopRule = {
  rank: "word",
  stop(summary, progress) {
    const { pages, earlierPages } = progress;
    if (earlierPages === 0) return undefined;
    const text = `page ${pages} holds the ${counted(summary.records, "record")} of an earlier page`;
    const before = { ...progress, records: progress.records - summary.records };
    if (allCame(before, false, true)) return { kind: "complete", repeated: "earlier", text };
    if (earlierPages < mostEarlier) return undefined;
    const doubt = `so did the ${earlierPages - 1} pages before it: the API goes round`;
    return { kind: "complete", repeated: "earlier", text, doubt };
  },
  words: "",
};
