import type { PageSummary } from "../core/runs/page.ts";
import { addDigest, containsDigest, shortDigest } from "./digest-list.ts";
import { likenessLimits, likenessOf } from "./likeness.ts";

/** The finding that a page repeats an earlier one. */
export interface Repetition {
  /**
   * The page that is repeated. `previous`: the page before. `first`: the job's first page. `earlier`: another page. `keys`: any
   * earlier page with the same keys of `--unique`. `run`: the pages before it, all alike or without a new key.
   */
  readonly of: "previous" | "first" | "earlier" | "keys" | "run";
  /** The proof, as a clause. */
  readonly text: string;
}

/** Maximum number of pages whose keys are remembered. */
const maxKeys = 4096;
/** Number of pages in a row without a new key that proves a repetition. */
const maxStale = 10_000;

/** Number of pages like one earlier page that proves a loop. Fewer may be reports of different days, which can look alike. */
const maxReturns = Math.max(...likenessLimits);

type ComparedPage = Pick<PageSummary, "sample" | "recordKeys">;

/** The pages of one job run, compared by the identities of their records. It contains records, so it is not part of positions. */
export class SeenPages {
  readonly #hasFirst: boolean;
  #first: ComparedPage | undefined;
  #previous: ComparedPage | undefined;
  /** For each limit of `likenessLimits`, the number of pages in a row that are alike enough for it. */
  readonly #alike = new Map(likenessLimits.map((most) => [most, 1]));
  /** Number of pages like the first page, except one directly after it. */
  #returns = 0;
  /**
   * A page with which later ones are compared. The distance from the first page at least doubles from one mark to the next, so an
   * endless loop contains a mark (Brent's method).
   */
  #mark: ComparedPage | undefined;
  #markReturns = 0;
  #nextMark = 1;
  #pages = 0;
  #keys = "";
  /** Number of the latest pages in a row without a new key. */
  #stale = 0;

  /** `hasFirst`: false if the job was resumed, so that its first page is not among the pages. */
  constructor(hasFirst: boolean) {
    this.#hasFirst = hasFirst;
  }

  /** Compares a page with earlier ones, and remembers it. Must be called once for each page, in order. */
  compareAndAdd(summary: PageSummary): Repetition | undefined {
    const repetition = this.#byKeys(summary) ?? this.#byRecords(summary);
    this.#previous = { sample: summary.sample, recordKeys: summary.recordKeys };
    if (this.#hasFirst && summary.records > 0) this.#first ??= this.#previous;
    this.#pages += 1;
    if (summary.records > 0 && this.#pages >= this.#nextMark) {
      this.#mark = this.#previous;
      this.#markReturns = 0;
      this.#nextMark = 2 * this.#pages;
    }
    return repetition;
  }

  /** Returns whether a page begins with a record of the previous page. Must be called before `compareAndAdd`. */
  overlaps({ recordKeys }: PageSummary): boolean {
    const before = this.#previous?.recordKeys ?? [];
    const [first] = recordKeys ?? [];
    if (first === undefined) return false;
    const isIdentified = new Set(before.map(({ id }) => id)).size === before.length;
    return before.some(({ id, line }) => (isIdentified && id !== undefined ? id === first.id : line === first.line));
  }

  #byRecords(page: ComparedPage): Repetition | undefined {
    const likeness = compare(this.#previous, page);
    for (const [most, pages] of this.#alike) {
      this.#alike.set(most, likeness !== undefined && likeness.pages <= most ? pages + 1 : 1);
    }
    if (likeness?.pages === 1) return { of: "previous", text: `by ${likeness.by}` };
    const run = [...this.#alike].find(([most, pages]) => pages >= most);
    if (likeness !== undefined && run !== undefined) return { of: "run", text: `by ${likeness.by}` };
    return this.#byFirst(page) ?? this.#byMark(page);
  }

  #byFirst(page: ComparedPage): Repetition | undefined {
    const likeness = this.#first === this.#previous ? undefined : compare(this.#first, page);
    if (likeness === undefined) return undefined;
    this.#returns += 1;
    const isProof = likeness.pages === 1 || this.#returns >= maxReturns;
    return isProof ? { of: "first", text: `by ${likeness.by}` } : undefined;
  }

  #byMark(page: ComparedPage): Repetition | undefined {
    const likeness = this.#mark === this.#previous ? undefined : compare(this.#mark, page);
    if (likeness === undefined) return undefined;
    this.#markReturns += 1;
    return this.#markReturns < maxReturns ? undefined : { of: "earlier", text: `by ${likeness.by}` };
  }

  /** Compares keys. A repeated page of one record proves nothing: with `--unique`, a record is expected to come again. */
  #byKeys({ keys, records }: PageSummary): Repetition | undefined {
    if (keys === undefined) return undefined;
    this.#stale = keys.isNew ? 0 : this.#stale + 1;
    const digest = shortDigest(keys.digest);
    if (!keys.isNew && records > 1 && containsDigest(this.#keys, digest))
      return { of: "keys", text: "by the keys of --unique" };
    if (this.#stale >= maxStale) return { of: "run", text: "without a new key (--unique)" };
    this.#keys = addDigest(this.#keys, digest, maxKeys);
    return undefined;
  }
}

function compare(earlier: ComparedPage | undefined, later: ComparedPage) {
  if (earlier?.sample === undefined || later.sample === undefined) return undefined;
  if (earlier.sample.records !== later.sample.records || later.sample.records === 0) return undefined;
  return likenessOf({ earlier: earlier.sample, later: later.sample });
}
