import type { PageSummary } from "../core/runs/page.ts";
import type { Value } from "../core/values/value.ts";
import { addDigest, containsDigest, shortDigest } from "./digest-list.ts";
import type { FallenTotal, JobExtent, Totals } from "./totals.ts";

/** The facts about a job run so far, for any method. They are part of every position: plain JSON without undefined. */
export type ScrollProgress = {
  /** Start of the job, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Numbers of the API's records and pages before the job's first page. */
  readonly skipped: number;
  readonly skippedPages: number;
  readonly pages: number;
  readonly records: number;
  /** Number of the latest pages in a row that have no records. */
  readonly emptyPages: number;
  /** Number of the latest pages in a row that repeat an earlier page other than the one before. */
  readonly earlierPages: number;
  /** Number of bytes of the bodies; with `forceStop.volume`, without the white space between the tokens of JSON. */
  readonly bytes: number;
  /** Digest and number of records of the previous page. */
  readonly previous: { readonly digest: string; readonly records: number } | null;
  /** Digest of the job's first page with records. */
  readonly first: string | null;
  /** Number of the latest pages in a row whose records equal those of the previous page. */
  readonly samePages: number;
  /** Digests of earlier pages, see `digest-list.ts`. */
  readonly digests: string;
  /** Digests that identify the last records of the previous page; empty unless `probeEnd` is set. */
  readonly lastRecords: string;
  /**
   * Only for an offset that counts elements: digests of the previous page's records. If it had n elements, its first n records are
   * left out.
   */
  readonly innerRecords: readonly string[];
  /** Number of records that `--unique` has dropped. */
  readonly dropped: number;
  /** The latest total at `limitStop.field`. */
  readonly total: string | null;
  /** The greatest total at `limitStop.field`. */
  readonly topTotal: string | null;
  /** The latest number of pages at `pageCount`. */
  readonly pageCount: string | null;
  /** Totals and numbers of pages found as evidence. */
  readonly totals: Totals;
  /** The first fall of a total between two pages. */
  readonly fallen: FallenTotal | null;
  /** True if a page has held a list of records. */
  readonly isList: boolean;
  /** Number of the first page that has a single value although an earlier page had a list; null if there is none. */
  readonly listLost: number | null;
  /** The message from the first page that reports a failure. */
  readonly failure: { readonly text: string; readonly remedy: string | null } | null;
  /**
   * If the first page lacks the data field: the path of a list of objects elsewhere in it. If a later page is itself a list of
   * objects: its path, ".".
   */
  readonly elsewhere: string | null;
  /** Keys of the warnings that were given. */
  readonly warned: readonly string[];
};

/** A position: the position of the paginator, and the progress. */
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
    lastRecords: "",
    innerRecords: [],
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

/** Returns whether a page has the same records as the previous page. Its envelope may differ (contract C-6.6). */
export function repeats(summary: PageSummary, progress: ScrollProgress): boolean {
  const { previous } = progress;
  return previous !== null && summary.records > 0 && previous.digest === shortDigest(summary.digest);
}

/** Returns whether a page has the same records as an earlier page, but not as the previous one. */
export function repeatsEarlier(summary: PageSummary, progress: ScrollProgress): boolean {
  if (summary.records === 0 || repeats(summary, progress)) return false;
  return containsDigest(progress.digests, shortDigest(summary.digest));
}

/** Maximum number of digests in `lastRecords`. */
const maxRememberedRecords = 256;

function lastRecordsOf({ recordKeys = [] }: PageSummary): string {
  const isIdentified = new Set(recordKeys.map(({ id }) => id)).size === recordKeys.length;
  const last = recordKeys.slice(-maxRememberedRecords);
  return last.map(({ id, line }) => shortDigest(isIdentified && id !== undefined ? `id ${id}` : line)).join("");
}

/**
 * Returns whether a page begins with one of the last records of the previous page. Only the position is needed, so this works
 * after a resume.
 */
export function overlapsPrevious({ recordKeys = [] }: PageSummary, { lastRecords }: ScrollProgress): boolean {
  const [first] = recordKeys;
  return (
    first !== undefined && [`id ${first.id}`, first.line].some((key) => containsDigest(lastRecords, shortDigest(key)))
  );
}

/** Maximum length of `innerRecords`. */
const maxRememberedInner = 32;

function innerRecordsOf({ recordKeys = [], records }: PageSummary): readonly string[] {
  return recordKeys.slice(records, records + maxRememberedInner).map(({ line }) => line);
}

/**
 * Returns whether a page repeats `innerRecords`: the previous page had n elements with more than n records, and this page begins
 * with the records after the first n. The API's offset then counts the records of inner lists, not the elements. Always false
 * with `--unique`, which drops such duplicates.
 */
export function continuesInnerRecords(
  { recordKeys = [], keys }: PageSummary,
  { innerRecords }: ScrollProgress,
): boolean {
  const lines = innerRecords.slice(0, recordKeys.length);
  // One line, or the same line again and again, may be equal by chance.
  if (keys !== undefined || new Set(lines).size < 2) return false;
  return lines.every((line, index) => line === recordKeys[index]?.line);
}

/** Maximum number of pages in `digests`. A longer cycle is not noticed. */
const maxRememberedPages = 256;

/** The ways in which a job compares a page with the next one. */
export interface PageComparisons {
  /** True if the end is probed. */
  readonly probeEnd: boolean;
  /** True if an offset counts the elements that hold the records. */
  readonly countsElements: boolean;
}

/** Returns the progress for the next position, with the digests of this page. `warned`: keys of the warnings given at this page. */
export function progressAfter(
  progress: ScrollProgress,
  summary: PageSummary,
  { probeEnd, countsElements, warned }: PageComparisons & { readonly warned: readonly string[] },
): ScrollProgress {
  const digest = shortDigest(summary.digest);
  return {
    ...progress,
    previous: { digest, records: summary.records },
    first: progress.first ?? (summary.records > 0 ? digest : null),
    digests: addDigest(progress.digests, digest, maxRememberedPages),
    lastRecords: probeEnd ? lastRecordsOf(summary) : "",
    innerRecords: countsElements ? innerRecordsOf(summary) : [],
    warned: [...progress.warned, ...warned],
  };
}

/** Returns the number of records that were received or skipped so far, for comparing it with a total. */
export function reachedRecords(progress: ScrollProgress): number {
  return progress.skipped + progress.records;
}

/** Returns the extent of the job so far, for comparing it with `ScrollProgress.totals`. */
export function reachOf(progress: ScrollProgress, mayCountRemaining: boolean): JobExtent {
  return { records: reachedRecords(progress), pages: progress.skippedPages + progress.pages, mayCountRemaining };
}
