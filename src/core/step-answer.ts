import type { ValueObject } from "./value.ts";

/** What a step was answered, as far as something reads it. Plain JSON; times in Unix milliseconds. */
export type StepAnswer = {
  readonly step: string;
  readonly at: number;
  /** So long a later run may take it (`reuse`). */
  readonly goodUntil: number;
  /** By `sourceKey`; what the answer lacks is left out. */
  readonly values: ValueObject;
};
