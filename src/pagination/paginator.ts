import type { SpileError } from "../core/errors.ts";
import type { PageSummary } from "../core/page.ts";
import type { Path } from "../core/path.ts";
import type { OwnParameter, Request } from "../core/request.ts";
import type { SourceInResponse } from "../core/response-source.ts";
import type { Value } from "../core/value.ts";
import type { ScrollProgress } from "./scroll-progress.ts";
import type { Repetition } from "./seen-pages.ts";

/** A warning of a job; of one `key` it is given once. */
export interface Warning {
  readonly key: string;
  readonly text: string;
}

/** Why a job ends. `text` is a clause that stands alone or before ", but ...". */
export interface Reason {
  readonly kind: "complete" | "limited" | "suspect";
  readonly text: string;
  /** What would be right, should the end turn out to be suspect. */
  readonly remedy?: string | undefined;
  /** What to say instead of `text, but ...`, should the end turn out to be suspect. */
  readonly doubted?: string;
  /** Why this end is suspect, unless a total seen equals what came. */
  readonly doubt?: string | undefined;
  readonly warning?: Warning;
  /** The user's own word: nothing raises a doubt. */
  readonly certain?: true;
  /** The page only repeats the one before it, or an earlier one, whose word of more is then an old one. */
  readonly repeated?: true | "earlier";
  /** A limit of the command line, not of the configuration. */
  readonly byCommand?: true;
}

/** What a paginator makes of a page. */
export type Move<P> =
  | { readonly next: P; readonly warning?: Warning | undefined }
  /** `probe`: the position that would show whether a short page was the last (`probeEnd`, contract C-6.7). */
  | { readonly end: Reason; readonly probe?: P | undefined }
  /** Going on is impossible, unless a limit of the user's ends the job here anyway. `repeated`: the page came before. */
  | { readonly fail: SpileError; readonly repeated?: true };

/** One method of paging. Pure; `P` is plain JSON. */
export interface Paginator<P extends Value = Value> {
  /** The values that `next` reads. */
  readonly sources?: readonly SourceInResponse[];
  /** Path in each record whose extremes `next` reads. */
  readonly recordKey?: Path;
  /**
   * Do equal records on neighbouring pages show that the API stood still? True where we say which page we want; not
   * where the API leads by addresses or tokens: there, distinct pages may hold equal records.
   */
  readonly recordsTell: boolean;
  /** The first position, by the job's own parameters. Throws SpileError("configuration"). */
  start(parameters: readonly OwnParameter[]): P;
  request(base: Request, position: P): Request;
  /** What of a position its request depends on, where that is not all of it. */
  asks?(position: P): Value;
  /** `progress` counts this page already, but still holds the digest of the page before it. `now` in milliseconds. */
  next(position: P, summary: PageSummary, progress: ScrollProgress, now: number): Move<P>;
  /** The next position should this page be full, and its number of records where it is known. */
  ahead?(position: P): { readonly next: P; readonly records: number } | undefined;
  /**
   * Records and pages of the API that stand before the job's first one. Methods without it are led by what the pages
   * hold, so a total may be of what is still to come.
   */
  skipped?(position: P): { readonly records: number; readonly pages: number };
  /** The page size that a request carries. */
  size?(position: P): number | null;
  /** In words, for `spile check`: what is sent, and until when. */
  describe(parameters: readonly OwnParameter[]): string;
}

/** A rule that may end a job beside its paginator (contract C-6.9). */
export interface StopRule {
  readonly sources?: readonly SourceInResponse[];
  /** `word`: the API's own, heard before the paginator. `limit`: the user's bound, asked after it. */
  readonly rank: "word" | "limit";
  /** Does it go by the volume of the pages' JSON? */
  readonly volume?: true;
  stop(
    summary: PageSummary,
    progress: ScrollProgress,
    now: number,
    repetition: Repetition | undefined,
  ): Reason | undefined;
  /** Would it stop, should the pages counted in `progress` come as assumed? Spares requests in flight beside others. */
  foreseen?(progress: ScrollProgress): boolean;
  /** Evidence of more records, as a clause, when the job ends for another reason. */
  objection?(summary: PageSummary, progress: ScrollProgress): string | undefined;
  /** The total the user pointed at, where the page has it. */
  total?(summary: PageSummary): string | undefined;
  /** The number of pages the user pointed at, if the page has it. */
  pages?(summary: PageSummary): string | undefined;
  notice?(summary: PageSummary, progress: ScrollProgress): Warning | undefined;
  /** In words, for `spile check`. */
  readonly words: string;
}
