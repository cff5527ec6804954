import type { ValueObject } from "../values/value.ts";

/** The values of a step's answer that expressions read. Plain JSON; times are in Unix milliseconds. */
export type StepAnswer = {
  readonly step: string;
  readonly at: number;
  /** Time until which a later run may use the answer (`reuse`). */
  readonly goodUntil: number;
  /** Values by `sourceKey`. Missing values are left out. */
  readonly values: ValueObject;
};
