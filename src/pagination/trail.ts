import { SpileError } from "../core/errors.ts";
import type { PageSummary } from "../core/runs/page.ts";
import { saysNothing } from "../core/runs/response-source.ts";
import { allCame } from "./evidence.ts";
import type { Reason, Warning } from "./paginator.ts";
import { repeats, type ScrollProgress } from "./scroll-progress.ts";
import { shorten } from "./seen.ts";
import { shortText } from "./token.ts";

/** The tokens or addresses that a job has followed, and the pages that they brought. Plain JSON. */
export type Trail = {
  /** If the first page used no token and held records: an entry of the token that it gave. Else null. */
  readonly first: string | null;
  /** Digest of the token used for this page; null on a first page that used none. */
  readonly used: string | null;
  /** The page before was requested by the same token. */
  readonly same: boolean;
  /** The latest tokens, each with the digest of the page that it brought: entries of fixed width. */
  readonly seen: string;
  /** One of the entries, renewed when the number of pages doubles. */
  readonly mark: string | null;
  /** Number of uses of tokens that were followed more than once. */
  readonly uses: { readonly [digest: string]: number };
};

const tokenWidth = 12;
const pageWidth = 8;
const width = tokenWidth + pageWidth;

/**
 * Number of tokens that are remembered, which limits memory: a cycle up to this length is found in its second round. A longer one
 * is found by the mark (Brent's method) before its third round ends.
 */
const remembered = 4096;
/** Number of tokens whose uses are counted. */
const counted = 64;

/** Warn at 1,000 uses of one token, stop at 10,000: no real API reuses one that often. */
const usesTold = 1000;
const usesAllowed = 10_000;

/**
 * Most pages without records in a row that are followed: an API may search long between two records, but one that leads on for
 * ever would keep a run going for ever.
 */
export const mostEmptyPages = 10_000;

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
 * Whether a token of the trail brought the same page before. Returns the end if the page repeats the one before it, or an error,
 * since following the API further would go round for ever. `name`: the place of the tokens.
 */
export function cameRound(
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
 * Follows one more token (contract C-6.23). `key`: the token, or address, that the page gives at `name`. The same token is
 * followed as long as pages are new; on an empty page it means that there is no more. So does a word for "missing" there, or a
 * token by which the API starts again.
 */
export function follow(
  trail: Trail,
  key: string,
  name: string,
  page: PageSummary,
  progress: ScrollProgress,
): Following {
  const digest = digestOf(key);
  const same = digest === trail.used;
  if (same && page.records === 0) {
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
  if (page.records === 0 && saysNothing(key)) {
    return { end: { kind: "complete", text: `ended with an empty page, where ${name} is ${JSON.stringify(key)}` } };
  }
  if (same && repeats(page, progress)) return { end: repeatedBy(name, progress) };
  if (trail.used !== null && trail.first === entryOf(digest, page)) return { end: restartReason(name, progress) };
  if (progress.emptyPages >= mostEmptyPages) {
    const what = `${progress.emptyPages} pages in a row had no records, and ${name} continues`;
    return { fail: new SpileError("data", `${what}; --max-pages or forceStop would end the job earlier`) };
  }
  const uses = usesOf(trail, digest, same);
  if (uses >= usesAllowed) {
    const what = `${name}, ${shortText(key)}, would be followed for the ${usesAllowed}th time`;
    return { fail: new SpileError("data", `${what}; --max-pages or forceStop would end the job earlier`) };
  }
  const text = `${name}, ${shortText(key)}, has been followed ${usesTold} times: is the API in a loop?`;
  return {
    next: { ...walked(trail, digest, page, progress), used: digest, same, uses: withUses(trail.uses, digest, uses) },
    warning: uses === usesTold ? { key: "uses", text } : undefined,
  };
}

/**
 * Whether all records of a total have come. An empty page confirms it: a total that a page with records reaches may be a limit of
 * the API's count, and records may follow.
 */
function hasAll(page: PageSummary, progress: ScrollProgress): boolean {
  return page.records === 0 && progress.records > 0 && allCame(progress, true, false);
}

function repeatedBy(name: string, { pages }: ScrollProgress): Reason {
  const text = `page ${pages}, requested with the same value as the page before it, repeats that page`;
  return { kind: "complete", text, repeated: true, doubt: `${name} stays the same` };
}

/**
 * Returns the reason of an API that starts again: the first page's records with the token that it gave. After an empty page that
 * is a usual end.
 */
function restartReason(name: string, { pages, previous }: ScrollProgress): Reason {
  const behind = previous?.records === 0;
  const text = `page ${pages}${behind ? ", requested with the value of an empty page," : ""} is the first page again`;
  const doubt = behind ? undefined : `${name} leads back to where the job began`;
  return { kind: "complete", text, repeated: true, doubt };
}

/** Returns the trail with what the page's token brought, and the token `given` by it. */
function walked(
  trail: Trail,
  given: string,
  page: PageSummary,
  { pages }: ScrollProgress,
): Pick<Trail, "first" | "seen" | "mark"> {
  const { first } = trail;
  if (trail.used === null) return { ...trail, first: page.records === 0 ? null : entryOf(given, page) };
  const entry = entryOf(trail.used, page);
  const doubled = (pages & (pages - 1)) === 0;
  const seen = trail.same ? trail.seen : (trail.seen + entry).slice(-remembered * width);
  return { first, seen, mark: doubled && page.records > 0 ? entry : trail.mark };
}

function usesOf({ seen, uses }: Trail, digest: string, same: boolean): number {
  const pastUses = uses[digest] ?? (same || seen.includes(digest) ? 1 : 0);
  return pastUses + 1;
}

/** Counts a use, but not the first use of a token. */
function withUses(uses: Trail["uses"], digest: string, count: number): Trail["uses"] {
  if (count === 1) return uses;
  const { [digest]: _, ...others } = uses;
  return Object.fromEntries([...Object.entries(others).slice(1 - counted), [digest, count]]);
}

function digestOf(key: string): string {
  return shorten(key).slice(0, tokenWidth);
}

function entryOf(used: string, page: PageSummary): string {
  return used + shorten(page.digest).slice(0, pageWidth);
}
