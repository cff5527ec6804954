import type { StopRule } from "../paginator.ts";
import { repeats } from "../progress.ts";

/** Stops at a page that only repeats the one before it; its records are not written (contract C-6.6). */
export const repeatedPage: StopRule = {
  rank: "word",
  stop: (summary, progress) =>
    repeats(summary, progress)
      ? {
          kind: "suspect",
          repeated: true,
          text: `page ${progress.pages} repeats the ${summary.records} records of the page before it: the API ignores the paging parameters, or repeats its last page`,
        }
      : undefined,
  words: "",
};
