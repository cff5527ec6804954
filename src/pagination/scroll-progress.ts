import type { PageSummary } from "../core/page.ts";
import type { Value } from "../core/value.ts";
import { remember, remembers, shorten } from "./seen.ts";
import type { FallenTotal, Reach, Totals } from "./totals.ts";

/** What a job has seen so far, whatever its method. Plain JSON without undefined, part of every position. */
export type ScrollProgress = {
  /** Milliseconds. */
  readonly startedAt: number;
  /** Records of the API before the job's first one, and pages. */
  readonly skipped: number;
  readonly skippedPages: number;
  readonly pages: number;
  readonly records: number;
  /** Pages without records in a row, up to the latest. */
  readonly emptyPages: number;
  /** Pages in a row, up to the latest, that came before, not directly. */
  readonly earlierPages: number;
  /** Of the bodies; where `forceStop.volume` goes by it, without the white space between the tokens of JSON. */
  readonly bytes: number;
  /** The page before: its digest and number of records. */
  readonly previous: { readonly digest: string; readonly records: number } | null;
  /** Digest of the job's first page with records. */
  readonly first: string | null;
  /** Pages in a row, up to the latest, whose records equal those of the page before it. */
  readonly samePages: number;
  /** Digests of earlier pages, see `seen.ts`. */
  readonly digests: string;
  /** Records that `--unique` has dropped. */
  readonly dropped: number;
  /** The total at `limitStop.field`, as last seen, and the greatest so far. */
  readonly total: string | null;
  readonly topTotal: string | null;
  /** The number of pages at `pageCount`, as last seen. */
  readonly pageCount: string | null;
  /** Totals and numbers of pages found as evidence. */
  readonly totals: Totals;
  /** The first fall of a total between two pages. */
  readonly fallen: FallenTotal | null;
  /** Has a page held a list of records? */
  readonly isList: boolean;
  /** The first page that holds one value where earlier ones hold a list. */
  readonly listLost: number | null;
  /** What the first page that failed said of it. */
  readonly failure: string | null;
  /** The data field was missing on the first page, and objects stand here. */
  readonly elsewhere: string | null;
  /** Keys of the warnings given. */
  readonly warned: readonly string[];
};

/** A position: the paginator's own, and the progress. */
export type ScrollPosition = { readonly page: Value; readonly progress: ScrollProgress };

export function begin(now: number, skipped: { readonly records: number; readonly pages: number }): ScrollProgress {
  return {
    startedAt: now,
    skipped: skipped.records,
    skippedPages: skipped.pages,
    pages: 0,
    records: 0,
    emptyPages: 0,
    earlierPages: 0,
    bytes: 0,
    previous: null,
    first: null,
    samePages: 0,
    digests: "",
    dropped: 0,
    total: null,
    topTotal: null,
    pageCount: null,
    totals: {},
    fallen: null,
    isList: false,
    listLost: null,
    failure: null,
    elsewhere: null,
    warned: [],
  };
}

/** Are the page's records those of the page before it? The records, not the envelope, which may hold a clock (contract C-6.6). */
export function repeats(summary: PageSummary, progress: ScrollProgress): boolean {
  const { previous } = progress;
  return previous !== null && summary.records > 0 && previous.digest === shorten(summary.digest);
}

/** Are the page's records those of an earlier page, and not of the one before it? */
export function comesRound(summary: PageSummary, progress: ScrollProgress): boolean {
  if (summary.records === 0 || repeats(summary, progress)) return false;
  return remembers(progress.digests, shorten(summary.digest));
}

/** How many pages are remembered to notice that one comes round again; a longer way round is not noticed. */
const remembered = 256;

/** The progress with a page's digest in it and the warnings given: what the next position carries. */
export function passed(progress: ScrollProgress, summary: PageSummary, warned: readonly string[]): ScrollProgress {
  const digest = shorten(summary.digest);
  return {
    ...progress,
    previous: { digest, records: summary.records },
    first: progress.first ?? (summary.records > 0 ? digest : null),
    digests: remember(progress.digests, digest, remembered),
    warned: [...progress.warned, ...warned],
  };
}

/** The last records the API should know of once this job's are counted: what a total is compared with. */
export function reached(progress: ScrollProgress): number {
  return progress.skipped + progress.records;
}

/** The same for the totals that were found as evidence. */
export function reachOf(progress: ScrollProgress, mayRemain: boolean): Reach {
  return { records: reached(progress), pages: progress.skippedPages + progress.pages, mayRemain };
}
