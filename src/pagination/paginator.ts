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

/** The reason why a job ends. `text` is a clause to which a message may add a doubt or the evidence against it. */
export interface Reason {
  readonly kind: "complete" | "limited" | "suspect";
  readonly text: string;
  /** Advice for an end that is suspect by its `kind` or contradicted by evidence. Not printed after a `doubt`. */
  readonly remedy?: string | undefined;
  /** Replaces `text` if there is evidence of more records. */
  readonly textIfMore?: string;
  /** A clause that makes the end suspect, unless a total equals the number of received records. */
  readonly doubt?: string | undefined;
  readonly warning?: Warning;
  /** True if evidence of more records does not count, because the configuration defines this end. `doubt` still counts. */
  readonly certain?: true;
  /** True if the configuration, not the API, declares the job's last answer to be the end. */
  readonly isRuled?: true;
  /** True if the doubt is that the place from which the job was resumed may have expired. */
  readonly mayHaveExpired?: boolean;
  /**
   * Present if the last page repeats the page before it (true), or an earlier page. Its records are not written. With "earlier",
   * its signs of a next page do not count, either.
   */
  readonly repeated?: true | "earlier";
  /** True for a limit of the command line, not of the configuration. */
  readonly byCommand?: true;
}

/** The decision of a paginator after a page. */
export type Move<P> =
  | { readonly next: P; readonly warning?: Warning | undefined }
  /** `probe`: the position after a short page, which is requested if the job probes its end (`probeEnd`, contract C-6.7). */
  | { readonly end: Reason; readonly probe?: P | undefined }
  /**
   * `fail`: the error if the job cannot continue. It does not count if a limit of the user ends the job here anyway. `repeated`:
   * true if the page repeats an earlier one.
   */
  | { readonly fail: SpileError; readonly repeated?: true };

/** One method of paging. Pure; `P` is plain JSON. */
export interface Paginator<P extends Value = Value> {
  /** Sources of the values that `next` reads. */
  readonly sources?: readonly SourceInResponse[];
  /** Path of a number in each record. `next` reads the smallest and the greatest on the page. */
  readonly recordKey?: Path;
  /**
   * True if each request names its page by a number, an offset or an id. Equal records on neighbouring pages then prove that the
   * API repeats a page. If false, different pages may have equal records.
   */
  readonly requestsNamePage: boolean;
  /** Returns the first position. Throws SpileError("configuration") if paging cannot use one of the job's parameters. */
  start(parameters: readonly OwnParameter[]): P;
  request(base: Request, position: P): Request;
  /** Returns the part of a position on which its request depends. Default: all of it. */
  requestKey?(position: P): Value;
  /**
   * Decides after the page at `position`. `progress` already counts this page, but still contains the digest of the previous page.
   * `now` is in milliseconds.
   */
  next(position: P, summary: PageSummary, progress: ScrollProgress, now: number): Move<P>;
  /**
   * Returns the next position in case this page is full, and the number of records of a full page (0 if unknown). Undefined if
   * the next position depends on the page.
   */
  ahead?(position: P): { readonly next: P; readonly records: number } | undefined;
  /**
   * Returns how many of the API's records and pages come before the job's first page. If a method lacks this function, a total may
   * count only the remaining records.
   */
  skipped?(position: P): { readonly records: number; readonly pages: number };
  /** Returns the page size in the request for a position; null if it has none. */
  size?(position: P): number | null;
  /** Describes for `spile check` what paging sends, and when it ends. */
  describe(parameters: readonly OwnParameter[]): string;
}

/** A rule beside the paginator that may end a job (contract C-6.9). */
export interface StopRule {
  readonly sources?: readonly SourceInResponse[];
  /** `word`: the rule reads the answer and applies before the paginator. `limit`: a limit of the user, applied after it. */
  readonly rank: "word" | "limit";
  /** True if the rule needs `PageSummary.volume`. */
  readonly volume?: true;
  stop(
    summary: PageSummary,
    progress: ScrollProgress,
    now: number,
    repetition: Repetition | undefined,
  ): Reason | undefined;
  /**
   * Returns whether the rule would stop the job if the pages that were requested ahead are full. `progress` counts them already.
   * No further page is then requested ahead.
   */
  wouldStop?(progress: ScrollProgress): boolean;
  /**
   * Returns a clause if the configured field says that more records exist. Called when a job ends as complete, unless that end is
   * certain.
   */
  objection?(summary: PageSummary, progress: ScrollProgress): string | undefined;
  /** Returns the total at the configured place, if the page has it. */
  total?(summary: PageSummary): string | undefined;
  /** Returns the number of pages at the configured place, if the page has it. */
  pages?(summary: PageSummary): string | undefined;
  notice?(summary: PageSummary, progress: ScrollProgress): Warning | undefined;
  /** Describes the rule for `spile check`. */
  readonly words: string;
}
