import { counted } from "../../core/counted.ts";
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
