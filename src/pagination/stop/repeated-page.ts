import type { PageSummary } from "../../core/runs/page.ts";
import { counted } from "../../core/text/counted.ts";
import { shortDigest } from "../digest-list.ts";
import { allReceived } from "../evidence.ts";
import { isIdentified } from "../likeness.ts";
import type { Reason, StopRule } from "../paginator.ts";
import { reachedRecords, reachOf, repeats, type ScrollProgress } from "../scroll-progress.ts";
import type { Repetition } from "../seen-pages.ts";
import { totalOf } from "../totals.ts";
import { reachesTotal } from "./limit-stop.ts";

const ignored = "the API ignores the paging parameters, or repeats its last page";
const ledBack = "the API leads to the same records again; is the value for the next request sent under the right name?";

/** Stops at a page with the records of the page before it, and does not write them again (contract C-6.6). */
export const repeatedPage: StopRule = {
  rank: "word",
  stop(summary, progress) {
    if (!repeats(summary, progress)) return undefined;
    return repeatedBy(summary, `page ${progress.pages} repeats the ${records(summary)} of the page before it`, ignored);
  },
  words: "",
};

const repeatedPages = {
  previous: "the page before it",
  first: "the first page",
  earlier: "an earlier page",
  keys: "an earlier page",
  run: "the pages before it",
} as const satisfies { [Of in Repetition["of"]]: string };

/**
 * Returns the rule that stops at a page with the records of an earlier one, judged by the identities of the records (contract
 * C-6.6). `requestsNamePage`: see `Paginator`.
 */
export function alikePage(requestsNamePage: boolean): StopRule {
  const doubt = requestsNamePage ? ignored : ledBack;
  return {
    rank: "word",
    stop(summary, progress, _, repetition) {
      const found = repetition ?? equalPage(summary, progress);
      if (found === undefined) return undefined;
      const text = `page ${progress.pages} holds the same ${records(summary)} as ${repeatedPages[found.of]}, ${found.text}`;
      return { ...repeatedBy(summary, text, doubt), repeated: found.of === "previous" ? true : "earlier" };
    },
    words: "",
  };
}

/**
 * Compares the bytes of a page with those of the previous and the first page, if its records can be identified. This also works
 * after a resume, when `SeenPages` does not know these pages.
 */
function equalPage(summary: PageSummary, progress: ScrollProgress): Repetition | undefined {
  const { sample } = summary;
  const of = repeats(summary, progress) ? "previous" : isFirst(summary, progress) ? "first" : undefined;
  if (of === undefined || sample === undefined || !isIdentified(sample)) return undefined;
  return { of, text: "byte by byte" };
}

function isFirst({ records: count, digest }: PageSummary, { first }: ScrollProgress): boolean {
  return count > 0 && first !== null && first === shortDigest(digest);
}

/** Number of equal pages in a row at which a job ends. Fewer may be different pages, if nothing identifies their records. */
const maxSame = 100;
/** The limit for a job whose total says that more records exist. */
const maxSameExpected = 10_000;

/** Stops at the 100th page in a row with the same bytes; at the 10,000th if a total says that more records exist. */
export const endlessRepetition: StopRule = {
  rank: "word",
  stop(summary, progress) {
    const pages = progress.samePages + 1;
    if (pages < (expectsMore(progress) ? maxSameExpected : maxSame)) return undefined;
    return repeatedBy(
      summary,
      `page ${progress.pages} is the last of ${pages} in a row with the same ${records(summary)}`,
      ledBack,
    );
  },
  words: "",
};

function expectsMore(progress: ScrollProgress): boolean {
  if (progress.total !== null) return !reachesTotal(reachedRecords(progress), progress.total);
  const reach = reachOf(progress, true);
  const top = totalOf(progress.totals, reach);
  return top !== undefined && top.total > BigInt(reach.records);
}

/** Returns the reason to end at a repeated page. There is no doubt about a single object: an API may send it for every page. */
function repeatedBy({ single }: PageSummary, text: string, doubt: string): Reason {
  return { kind: "complete", repeated: true, text, doubt: single ? undefined : doubt };
}

/** Returns what follows `the` or `the same`: `record`, or `3 records`. */
function records({ records: count }: PageSummary): string {
  return count === 1 ? "record" : counted(count, "record");
}

/**
 * Number of pages in a row, each equal to an earlier page, that proves a loop. Fewer may be a coincidence if records have no ids
 * and pages are small.
 */
const maxEarlier = 1000;

/**
 * Returns the rule for a page that equals an earlier one. If requests name their page and a total says that all records came, it
 * stops: the API starts again after its last page. Otherwise equal records may be a coincidence, so it stops only at the 1,000th
 * such page in a row.
 */
export function earlierPage(requestsNamePage: boolean): StopRule {
  return {
    rank: "word",
    stop(summary, progress) {
      const { pages, earlierPages } = progress;
      if (earlierPages === 0) return undefined;
      const text = `page ${pages} holds the ${records(summary)} of an earlier page`;
      const before = { ...progress, records: progress.records - summary.records };
      if (requestsNamePage && allReceived(before, false, true)) return { kind: "complete", repeated: "earlier", text };
      if (earlierPages < maxEarlier) return undefined;
      const doubt = `the ${earlierPages - 1} pages before it do the same, so the API is in a loop`;
      return { kind: "complete", repeated: "earlier", text, doubt };
    },
    words: "",
  };
}
