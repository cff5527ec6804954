import { SpileError } from "../core/errors.ts";
import type { PageSummary, Watched } from "../core/page.ts";
import { printable } from "../core/printable.ts";
import { exactNumber, type Value } from "../core/value.ts";
import type { Reason } from "./paginator.ts";
import { type Progress, repeats } from "./progress.ts";
import { remember, remembers, shorten } from "./seen.ts";

/** A scalar of a response, kept as plain JSON with all its digits. */
export type Token = { readonly type: "boolean" | "number" | "string"; readonly text: string };

/** The token at a watched path; undefined where it is empty: missing, null, "", "0", 0, false (contract C-6.23), [] or {}. */
export function tokenOf(watched: Watched | undefined): Token | "structure" | undefined {
  if (watched === undefined || watched.type === "null") return undefined;
  const { type, text, empty } = watched;
  if (type === "array" || type === "object") return empty ? undefined : "structure";
  const nothing = {
    boolean: text === "false",
    number: !/[1-9]/.test(text.replace(/[eE].*/, "")),
    string: text === "" || text === "0",
  }[type];
  return nothing ? undefined : { type, text };
}

export function tokenValue(token: Token): Value {
  if (token.type === "number") return exactNumber(token.text);
  return token.type === "boolean" ? true : token.text;
}

/** The tokens or addresses used so far. Plain JSON. */
export type Trail = {
  /** Digest of the one used for this page; null on a first page that used none. */
  readonly used: string | null;
  /** Digests of the latest ones, see `seen.ts`. */
  readonly seen: string;
  /** Digest of one of them, renewed when the number of pages doubles. */
  readonly mark: string | null;
};

/**
 * How many tokens are remembered, which bounds memory: a cycle up to this long is found before any request is
 * repeated. A longer one is found too, by the mark (Brent's method), before it has gone round three times.
 */
const bound = 4096;

/**
 * The most pages without records in a row that are followed: an API may search long between two records, but one that
 * leads on for ever would keep a run going for ever.
 */
export const mostEmptyPages = 10_000;

export const noTrail: Trail = { used: null, seen: "", mark: null };

/** The trail of a job whose first request already uses a token. */
export function trailFrom(key: string): Trail {
  const digest = shorten(key);
  return { used: digest, seen: digest, mark: digest };
}

type Following = { readonly next: Trail } | { readonly end: Reason } | { readonly fail: SpileError };

/**
 * One token further. Equal to the one just used: the end, and suspect, unless the page is empty (many an API answers
 * so when it has no more). Used earlier: an error, since following it would go round for ever (contract C-6.23).
 */
export function follow(trail: Trail, key: string, name: string, page: PageSummary, progress: Progress): Following {
  const digest = shorten(key);
  if (digest === trail.used) {
    if (page.records === 0) return { end: { kind: "complete", text: `ended with an empty page that repeats ${name}` } };
    const end: Reason = { kind: "suspect", text: `the API gave ${name} once more that was just used` };
    return { end: repeats(page, progress) ? { ...end, repeated: true } : end };
  }
  if (digest === trail.mark || remembers(trail.seen, digest)) {
    const what = `${name}, ${shown(key)}, was used earlier in this job: following it would go round for ever`;
    return { fail: new SpileError("data", what) };
  }
  if (progress.emptyPages >= mostEmptyPages) {
    const what = `${progress.emptyPages} pages in a row held no records, and the API leads on by ${name}`;
    return { fail: new SpileError("data", `${what}; --max-pages or forceStop would end the job before`) };
  }
  const doubled = (progress.pages & (progress.pages - 1)) === 0;
  return { next: { used: digest, seen: remember(trail.seen, digest, bound), mark: doubled ? digest : trail.mark } };
}

/** Text of a response, fit for a message. */
export function shown(text: string): string {
  return text.length > 120 ? `${printable(text.slice(0, 120))}...` : printable(text);
}
