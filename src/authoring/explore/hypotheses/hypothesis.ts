import type { Value, ValueObject } from "../../../core/value.ts";
import type { FirstPage, PageField } from "../first-answer/first-page.ts";
import type { ToldMore } from "../first-answer/told.ts";

/** What may lead to the second page. */
export type HypothesisKind = "link" | "address" | "token" | "last record" | "cursor" | "offset" | "page number";

/** A value for a place in the request: a parameter's name, or a path in a JSON body. */
export interface Placed {
  readonly place: Value;
  readonly value: Value;
}

/** One way in which an API may page, as a configuration that a run can try. Plain data. */
export interface Hypothesis {
  readonly kind: HypothesisKind;
  /** What it is, for people: `offset paging by "skip"`. */
  readonly label: string;
  /** Why it is worth a try: what in the first answer or the request speaks for it. */
  readonly because: string;
  /** Nothing speaks for it: it is a name that many APIs use. */
  readonly guessed: boolean;
  /** `api.pagination` for the trial. */
  readonly paging: ValueObject;
  /** Parameters of the job (their own names) that the paging sends itself. */
  readonly drops: readonly string[];
  /** Parameters that the job gains: where the paging begins. */
  readonly sets?: readonly Placed[] | undefined;
  /** The value that it sends for the second page, where that is known: a token, or the last record's id. */
  readonly value?: Value | undefined;
  /** Those of one group send the same value: after the likeliest all others go in one request. */
  readonly group?: string | undefined;
  /** A field of the first answer that must have moved on by this in the second. */
  readonly echo?: { readonly field: PageField; readonly by: number } | undefined;
}

/** Looks for one way of paging in the first answer and what it tells. */
export type Look = (page: FirstPage, told: ToldMore) => readonly Hypothesis[];
