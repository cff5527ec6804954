import type { SpileError } from "../core/errors.ts";
import type { OwnParameter, Request } from "../core/requests/request.ts";
import type { PageSummary } from "../core/runs/page.ts";
import type { SourceInResponse } from "../core/runs/response-source.ts";
import type { Path } from "../core/values/path.ts";
import type { Value } from "../core/values/value.ts";
import type { ScrollProgress } from "./scroll-progress.ts";
import type { Repetition } from "./seen-pages.ts";

/** A warning of a job, given once for each `key`. */
export interface Warning {
  readonly key: string;
  readonly text: string;
}

/** The reason why a job ends. `text` is a clause that is printed alone, or before ", but ...". */
export interface Reason {
  readonly kind: "complete" | "limited" | "suspect";
  readonly text: string;
  /** The remedy if the end is suspect. */
  readonly remedy?: string | undefined;
  /** Replaces `text` if there is evidence of more records. */
  readonly textIfMore?: string;
  /** The reason why this end is suspect, unless a total equals the number of received records. */
  readonly doubt?: string | undefined;
  readonly warning?: Warning;
  /** True for an end that the configuration defines: evidence of more records does not count. Only a doubt makes it suspect. */
  readonly certain?: true;
  /** True if the configuration treats the job's last answer as the end, not the API. */
  readonly isRuled?: true;
  /** True if the doubt is that the place from which the job was resumed may have expired. */
  readonly mayHaveExpired?: boolean;
  /** Present if the page only repeats the one before it, or an earlier one. Then the page says nothing about pages after it. */
  readonly repeated?: true | "earlier";
  /** True for a limit of the command line, not of the configuration. */
  readonly byCommand?: true;
}

/** The decision of a paginator after a page. */
export type Move<P> =
  | { readonly next: P; readonly warning?: Warning | undefined }
  /** `probe`: the position of the request that shows whether a short page was the last (`probeEnd`, contract C-6.7). */
  | { readonly end: Reason; readonly probe?: P | undefined }
  /**
   * `fail`: the error if the job cannot continue. It does not count if a limit of the user ends the job here anyway. `repeated`:
   * the page came before.
   */
  | { readonly fail: SpileError; readonly repeated?: true };

/** One method of paging. Pure; `P` is plain JSON. */
export interface Paginator<P extends Value = Value> {
  /** Sources of the values that `next` reads. */
  readonly sources?: readonly SourceInResponse[];
  /** Path in each record of the number whose extremes `next` reads. */
  readonly recordKey?: Path;
  /**
   * True if equal records on neighbouring pages prove that the API repeats a page, because each request names its page. False if
   * the API leads by addresses or tokens: different pages may then contain equal records.
   */
  readonly requestsNamePage: boolean;
  /** Returns the first position, given the job's own parameters. Throws SpileError("configuration"). */
  start(parameters: readonly OwnParameter[]): P;
  request(base: Request, position: P): Request;
  /** Returns the part of a position on which its request depends. Default: all of it. */
  requestKey?(position: P): Value;
  /**
   * Decides after a page. `progress` already counts this page, but still contains the digest of the previous page. `now` is in
   * milliseconds.
   */
  next(position: P, summary: PageSummary, progress: ScrollProgress, now: number): Move<P>;
  /** Returns the next position if this page is full, and its number of records if that is known. */
  ahead?(position: P): { readonly next: P; readonly records: number } | undefined;
  /**
   * Returns the numbers of the API's records and pages before the job's first one. Methods without this function follow values in
   * the pages, so a total may count only the remaining records.
   */
  skipped?(position: P): { readonly records: number; readonly pages: number };
  /** Returns the page size that a request carries. */
  size?(position: P): number | null;
  /** Describes for `spile check` what paging sends, and when it ends. */
  describe(parameters: readonly OwnParameter[]): string;
}

/** A rule beside the paginator that may end a job (contract C-6.9). */
export interface StopRule {
  readonly sources?: readonly SourceInResponse[];
  /** `word`: a statement of the API, applied before the paginator. `limit`: a limit of the user, applied after it. */
  readonly rank: "word" | "limit";
  /** True if the rule depends on the volume of the pages' JSON. */
  readonly volume?: true;
  stop(
    summary: PageSummary,
    progress: ScrollProgress,
    now: number,
    repetition: Repetition | undefined,
  ): Reason | undefined;
  /**
   * Returns whether the rule would stop the job after pages that have not come yet but are assumed in `progress`. This avoids
   * useless concurrent requests.
   */
  foreseen?(progress: ScrollProgress): boolean;
  /** Called when a job ends, unless its end is certain. Returns evidence of more records, as a clause. */
  objection?(summary: PageSummary, progress: ScrollProgress): string | undefined;
  /** Returns the total at the configured place, if the page has it. */
  total?(summary: PageSummary): string | undefined;
  /** Returns the number of pages at the configured place, if the page has it. */
  pages?(summary: PageSummary): string | undefined;
  notice?(summary: PageSummary, progress: ScrollProgress): Warning | undefined;
  /** Describes the rule for `spile check`. */
  readonly words: string;
}
