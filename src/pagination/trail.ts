import { SpileError } from "../core/errors.ts";
import type { PageSummary } from "../core/runs/page.ts";
import { meansMissing } from "../core/runs/response-source.ts";
import { shortDigest } from "./digest-list.ts";
import { allReceived } from "./evidence.ts";
import type { Reason, Warning } from "./paginator.ts";
import { repeats, type ScrollProgress } from "./scroll-progress.ts";
import { printableToken } from "./token.ts";

/**
 * The tokens or addresses that a job has followed, and the pages that they returned. Each entry has a fixed width: the digest of
 * a token, then that of a page. Plain JSON.
 */
export type Trail = {
  /** Entry of the first page and the token that it gave; null if that page was requested by a token, or had no records. */
  readonly first: string | null;
  /** Digest of the token that requested this page; null if the first page was requested without one. */
  readonly used: string | null;
  /** True if the previous page was requested by the same token. */
  readonly same: boolean;
  /** Entries of the latest tokens, each with the page that it returned. */
  readonly seen: string;
  /** One of these entries, replaced when the number of pages doubles. */
  readonly mark: string | null;
  /** Number of uses of tokens that were followed more than once. */
  readonly uses: { readonly [digest: string]: number };
};

const tokenWidth = 12;
const pageWidth = 8;
const width = tokenWidth + pageWidth;

/**
 * Number of tokens that are remembered, which limits memory. A cycle of at most this length is found in its second round, a longer
 * one by the mark (Brent's method) before the end of its third.
 */
const maxTokens = 4096;
/** Number of tokens whose uses are counted. */
const maxCountedTokens = 64;

/** Warn at 1,000 uses of one token, stop at 10,000: no real API reuses one that often. */
const warnedUses = 1000;
const allowedUses = 10_000;

/**
 * Maximum number of consecutive pages without records. An API may search for a long time between two records, but one that always
 * names a next page would keep the run going for ever.
 */
export const maxEmptyPages = 10_000;

export const noTrail: Trail = { first: null, used: null, same: false, seen: "", mark: null, uses: {} };

/** Returns the trail of a job whose first request already uses a token. */
export function trailFrom(key: string): Trail {
  return { ...noTrail, used: digestOf(key) };
}

export type Following =
  | { readonly next: Trail; readonly warning?: Warning | undefined }
  | { readonly end: Reason }
  | { readonly fail: SpileError; readonly repeated?: true };

/**
 * Finds out whether a token of the trail has returned the same page before. Returns the end of the job if the page repeats the
 * one before it. Returns an error if it repeats another one, since following the API would never end. `name`: the field or header
 * that contains the tokens, for messages.
 */
export function endOfRepetition(
  trail: Trail,
  name: string,
  page: PageSummary,
  progress: ScrollProgress,
): Exclude<Following, { next: Trail }> | undefined {
  if (trail.used === null || page.records === 0) return undefined;
  if (trail.same) return repeats(page, progress) ? { end: repeatedBy(name, progress) } : undefined;
  const entry = entryOf(trail.used, page);
  if (trail.mark !== entry && !trail.seen.includes(entry)) return undefined;
  const what = `${name} led to page ${progress.pages}, which holds the same records as an earlier page: following it would never end`;
  return { fail: new SpileError("data", what), repeated: true };
}

/**
 * Follows one more token (contract C-6.23). `key`: the token or address that the page gives at `name`. A token that stays the
 * same is followed as long as pages are new. The job ends at an empty page if a total says that all records came, if the page
 * repeats the token, or if the token is a word such as "none". It also ends if the API starts again with its first page. It fails
 * after too many empty pages, or too many uses of one token.
 */
export function follow(
  trail: Trail,
  key: string,
  name: string,
  page: PageSummary,
  progress: ScrollProgress,
): Following {
  const digest = digestOf(key);
  const isSameToken = digest === trail.used;
  if (isSameToken && page.records === 0) {
    return { end: { kind: "complete", text: `ended with an empty page that repeats ${name}` } };
  }
  if (hasAll(page, progress)) {
    return {
      end: {
        kind: "complete",
        text: `ended with an empty page: the total says that all records came, although ${name} continues`,
      },
    };
  }
  if (page.records === 0 && meansMissing(key)) {
    return { end: { kind: "complete", text: `ended with an empty page, where ${name} is ${JSON.stringify(key)}` } };
  }
  if (isSameToken && repeats(page, progress)) return { end: repeatedBy(name, progress) };
  if (trail.used !== null && trail.first === entryOf(digest, page)) return { end: restartReason(name, progress) };
  if (progress.emptyPages >= maxEmptyPages) {
    const what = `${progress.emptyPages} pages in a row had no records, but ${name} continues`;
    return { fail: new SpileError("data", `${what}; --max-pages or forceStop would end the job earlier`) };
  }
  const uses = usesOf(trail, digest, isSameToken);
  if (uses >= allowedUses) {
    const what = `${name}, ${printableToken(key)}, would be followed for the ${allowedUses}th time`;
    return { fail: new SpileError("data", `${what}; --max-pages or forceStop would end the job earlier`) };
  }
  const text = `${name}, ${printableToken(key)}, has been followed ${warnedUses} times: is the API in a loop?`;
  return {
    next: {
      ...withPage(trail, digest, page, progress),
      used: digest,
      same: isSameToken,
      uses: withUses(trail.uses, digest, uses),
    },
    warning: uses === warnedUses ? { key: "uses", text } : undefined,
  };
}

/**
 * Returns whether a total says that all records came, and this page is empty. On a page with records the total may be only a
 * limit up to which the API counts, so more records may follow.
 */
function hasAll(page: PageSummary, progress: ScrollProgress): boolean {
  return page.records === 0 && progress.records > 0 && allReceived(progress, true, false);
}

function repeatedBy(name: string, { pages }: ScrollProgress): Reason {
  const text = `page ${pages}, requested with the same value as the page before it, repeats that page`;
  return { kind: "complete", text, repeated: true, doubt: `${name} stays the same` };
}

/**
 * Returns the reason to end at a page with the first page's records and token: the API starts again. After an empty page this is a
 * usual end.
 */
function restartReason(name: string, { pages, previous }: ScrollProgress): Reason {
  const isAfterEmptyPage = previous?.records === 0;
  const text = `page ${pages}${isAfterEmptyPage ? ", requested with the value of an empty page," : ""} is the first page again`;
  const doubt = isAfterEmptyPage ? undefined : `${name} leads back to where the job began`;
  return { kind: "complete", text, repeated: true, doubt };
}

/** Adds a page to the trail, under the token that requested it. `nextToken`: the token in the page. */
function withPage(
  trail: Trail,
  nextToken: string,
  page: PageSummary,
  { pages }: ScrollProgress,
): Pick<Trail, "first" | "seen" | "mark"> {
  const { first } = trail;
  if (trail.used === null) return { ...trail, first: page.records === 0 ? null : entryOf(nextToken, page) };
  const entry = entryOf(trail.used, page);
  const isPowerOfTwo = (pages & (pages - 1)) === 0;
  const entries = trail.same ? trail.seen : (trail.seen + entry).slice(-maxTokens * width);
  return { first, seen: entries, mark: isPowerOfTwo && page.records > 0 ? entry : trail.mark };
}

function usesOf({ seen, uses }: Trail, digest: string, isSameToken: boolean): number {
  const pastUses = uses[digest] ?? (isSameToken || seen.includes(digest) ? 1 : 0);
  return pastUses + 1;
}

/** Returns the counts of uses with a new count for one token. A token that was used once has no entry. */
function withUses(uses: Trail["uses"], digest: string, count: number): Trail["uses"] {
  if (count === 1) return uses;
  const { [digest]: _, ...others } = uses;
  return Object.fromEntries([...Object.entries(others).slice(1 - maxCountedTokens), [digest, count]]);
}

function digestOf(key: string): string {
  return shortDigest(key).slice(0, tokenWidth);
}

function entryOf(tokenDigest: string, page: PageSummary): string {
  return tokenDigest + shortDigest(page.digest).slice(0, pageWidth);
}
