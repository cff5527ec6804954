import type { Increment } from "../../compile/increment.ts";
import { counted } from "../../core/counted.ts";
import { incrementTypes } from "../../core/increment-types.ts";
import { readInstant } from "../../core/instant.ts";
import type { PageSummary, Watched } from "../../core/page.ts";
import { readSource } from "../../core/response-source.ts";
import { exactNumber, integer, isObject, parseValue, type Value } from "../../core/value.ts";
import type { Watermark } from "../../core/watermark.ts";
import type { PageWatermark } from "../page.ts";

/** How far the increment of a job has come while it runs. */
export class IncrementProgress {
  readonly #increment: Increment;
  #value: Value = null;
  #missing = 0;

  /** `saved`: what `save` made of an interrupted run's; null: the job begins. */
  constructor(increment: Increment, saved: Value) {
    this.#increment = increment;
    if (!isObject(saved)) return;
    this.#value = saved.value ?? null;
    this.#missing = integer(saved.missing) ?? 0;
  }

  /** A page of the job, whose records are written. */
  add({ value = null, missing }: PageWatermark, summary: PageSummary): void {
    const { source, type } = this.#increment;
    this.#missing += missing;
    // The last response alone counts.
    if ("response" in source) this.#value = jsonOf(readSource(source.response, summary));
    else if (value !== null && (this.#value === null || type.compare(this.#value, value) < 0)) this.#value = value;
  }

  /** Plain JSON. */
  save(): Value {
    return { value: this.#value, missing: this.#missing };
  }

  /** How far it has come once the job is complete: never back (contract C-17.2). Undefined where nothing was read. */
  moved(): Watermark | undefined {
    const { source, type, before, described } = this.#increment;
    if (this.#value === null) return undefined;
    const isBack = "path" in source && before !== undefined && type.compare(before, this.#value) > 0;
    return { ...described, value: isBack ? before : this.#value };
  }

  /** What people should know of a job that has ended well; `now` in milliseconds. */
  notices(now: number): readonly string[] {
    const { source, sourceName } = this.#increment;
    if ("response" in source) {
      const text = `the job's last response has nothing as ${sourceName}: the next run begins where this one did`;
      return this.#value === null ? [text] : [];
    }
    const notices: string[] = [];
    if (this.#missing > 0) {
      const records = `${counted(this.#missing, "record")} without a value at ${sourceName}`;
      notices.push(`${records}: written, but nothing is known of when to read them again`);
    }
    const instant = this.#increment.type === incrementTypes.time ? readInstant(this.#value) : undefined;
    if (instant !== undefined && instant.seconds > now / 1000 + 86_400) {
      notices.push(`the greatest value at ${sourceName} lies in the future: the next run begins there`);
    }
    return notices;
  }
}

/** A value of a response as JSON; null where it is missing, or longer than a watched value may be. */
function jsonOf(watched: Watched | undefined): Value {
  if (watched === undefined) return null;
  const { type, text } = watched;
  if (type === "string") return text;
  if (type === "number") return exactNumber(text);
  if (type === "array" || type === "object") return text === "" ? null : parseValue(text);
  return type === "null" ? null : text === "true";
}
