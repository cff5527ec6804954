import type { ValueObject } from "../values/value.ts";

/** The parts of a step's answer that something reads. Plain JSON; times in Unix milliseconds. */
export type StepAnswer = {
  readonly step: string;
  readonly at: number;
  /** Time until which a later run may use it (`reuse`). */
  readonly goodUntil: number;
  /** By `sourceKey`; missing values are left out. */
  readonly values: ValueObject;
};
