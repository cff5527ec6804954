import type { Increment } from "../../compile/jobs/increment.ts";
import type { JobPlan } from "../../compile/plan.ts";
import type { Emit } from "../../core/runs/event.ts";
import type { PageSummary, Verdict, Watched } from "../../core/runs/page.ts";
import { readSource } from "../../core/runs/response-source.ts";
import type { JobResult } from "../../core/runs/run.ts";
import type { Moved, Watermark } from "../../core/runs/watermark.ts";
import { counted } from "../../core/text/counted.ts";
import { incrementTypes } from "../../core/values/increment-types.ts";
import { readTime } from "../../core/values/instant.ts";
import { exactNumber, integer, isObject, parseValue, type Value } from "../../core/values/value.ts";
import type { PageWatermark } from "../page-watermark.ts";

/** Progress of a job's increment while the job runs. */
export class IncrementProgress {
  readonly #increment: Increment;
  #value: Value = null;
  /** If the increment moves window by window, the end of the latest page's window, in Unix seconds; else null. */
  #end: Value = null;
  #missing = 0;
  /** First value of the previous page, if values are expected to fall; null if there is none yet. */
  #first: Value = null;
  /** True if a value of the current run has exceeded the first one of the previous page. */
  #rises = false;

  /** Value of the last watermark that `movedFurther` has returned. */
  #returned: Value | undefined;

  /** `saved`: the result of `save` for an interrupted run; null if the job begins. */
  constructor(increment: Increment, saved: Value) {
    this.#increment = increment;
    if (!isObject(saved)) return;
    this.#value = saved.value ?? null;
    this.#end = saved.end ?? null;
    this.#missing = integer(saved.missing) ?? 0;
    this.#first = saved.first ?? null;
    this.#rises = saved.rises === true;
  }

  /** Adds a page of the job whose records are all written. */
  add(watermark: PageWatermark, summary: PageSummary, { number, end = null }: PagePlace): void {
    if (this.#increment.isByWindow) this.#end = end;
    this.#missing += watermark.missing;
    this.#value = furthestValue(this.#increment, this.#value, pageValue(this.#increment, watermark, summary));
    if (this.#increment.descends) this.#compare(watermark, number === 1);
  }

  save(): Value {
    const order = this.#increment.descends ? { first: this.#first, rises: this.#rises } : {};
    const end = this.#end === null ? {} : { end: this.#end };
    return { value: this.#value, ...end, missing: this.#missing, ...order };
  }

  /** Returns the verdict on a run of the job, which is suspect if the feed is not in the configured order. */
  judge(verdict: Verdict): Verdict {
    if (!this.#rises || verdict.kind === "suspect") return verdict;
    const order = '"order": "descending" is not the order of the records';
    const remedy = 'the watermark does not move; "filter": true instead reads all pages';
    const reason = `${verdict.reason}, but a value at ${this.#increment.sourceName} is greater than the first value of the page before: ${order}; ${remedy}`;
    return { ...verdict, kind: "suspect", reason };
  }

  /**
   * Compares a page with the first value of the page before it. New records shift the pages during reading, but never put a
   * greater value on a later page.
   */
  #compare({ first = null, greatest }: PageWatermark, isFirstPage: boolean): void {
    const { type } = this.#increment;
    const before = isFirstPage ? null : this.#first;
    const rises = before !== null && greatest !== undefined && type.compare(before, greatest) < 0;
    this.#rises = rises || (this.#rises && !isFirstPage);
    this.#first = first ?? before;
  }

  /**
   * Returns the watermark after complete pages; undefined if nothing was read. A value from records never goes back (contract
   * C-17.2), and never goes beyond the last window of the pages.
   */
  moved(): Watermark | undefined {
    const { source, type, reached, described } = this.#increment;
    const value = this.#reached();
    if (value === null) return undefined;
    const isBack = "path" in source && reached !== undefined && type.compare(reached, value) > 0;
    return { ...described, value: isBack ? reached : value };
  }

  /** Returns the watermark if its value is beyond that in the state and beyond the last one that was returned. */
  movedFurther(): Watermark | undefined {
    const watermark = this.moved();
    const { value = null } = watermark ?? {};
    const before = this.#returned ?? this.#increment.reached;
    if (value === null || (before !== undefined && this.#increment.type.compare(before, value) >= 0)) return undefined;
    this.#returned = value;
    return watermark;
  }

  #reached(): Value {
    return this.#end === null ? this.#value : this.#increment.type.upTo(this.#value, this.#end);
  }

  /** Returns notices about a job that has ended well. `now` is in milliseconds. */
  notices(now: number): readonly string[] {
    const { source, sourceName, context } = this.#increment;
    if ("response" in source) {
      const text = `the job's last response has no ${sourceName}: the next run begins where this one did`;
      return this.#value === null ? [text] : [];
    }
    const notices: string[] = [];
    if (this.#missing > 0) {
      // If there are many parents, only the notice about the first one is reported, so it names no number.
      const records = context === undefined ? counted(this.#missing, "record") : "records";
      notices.push(
        this.#value === null && context === undefined
          ? `none of ${records} has a value at ${sourceName}: all are written, and the next run fetches them again; is the path right?`
          : `${records} without a value at ${sourceName}: they are written, and do not move the increment`,
      );
    }
    const instant = this.#increment.type === incrementTypes.time ? readTime(this.#reached()) : undefined;
    if (instant !== undefined && instant.seconds > now / 1000 + 86_400) {
      notices.push(`the greatest value at ${sourceName} lies in the future: the next run begins there`);
    }
    return notices;
  }
}

/** The number of a page in its run, from 1, and the end of the run's window in Unix seconds. */
interface PagePlace {
  readonly number: number;
  readonly end: Value | undefined;
}

/** Returns the value of an increment in a page; null if there is none. */
export function pageValue({ source }: Increment, { value = null }: PageWatermark, summary: PageSummary): Value {
  return "response" in source ? jsonOf(readSource(source.response, summary)) : value;
}

/**
 * Returns the value of an increment after another page; null if nothing was read. If the values come from responses, only the
 * last one counts.
 */
export function furthestValue(
  { described, type }: Pick<Increment, "described" | "type">,
  current: Value,
  value: Value,
): Value {
  if (described.path === undefined || current === null) return value;
  return value !== null && type.compare(current, value) < 0 ? value : current;
}

/**
 * Returns a value of a response as JSON; null if it is missing, or if it is a list or an object that is longer than a watched
 * value may be.
 */
function jsonOf(watched: Watched | undefined): Value {
  if (watched === undefined) return null;
  const { type, text } = watched;
  if (type === "string") return text;
  if (type === "number") return exactNumber(text);
  if (type === "array" || type === "object") return text === "" ? null : parseValue(text);
  return type === "null" ? null : text === "true";
}

/**
 * Returns the move of a job's increment if the job and its children are complete. Reports the notices about a job that has not
 * failed.
 */
export function incrementMoves(
  progress: IncrementProgress | undefined,
  { increment, label, dataType }: JobPlan,
  results: readonly JobResult[],
  { emit, now }: { readonly emit: Emit; now(): number },
): readonly Moved[] {
  if (increment === undefined || progress === undefined) return [];
  if (results.some(({ verdict }) => verdict === "failed")) return [];
  for (const message of progress.notices(now())) {
    emit({ event: "warning", level: "warning", message, job: label, dataType });
  }
  const moved = results.every(({ verdict }) => verdict === "complete") ? progress.moved() : undefined;
  return moved === undefined ? [] : [[increment.key, moved]];
}
