import type { Fault } from "../core/errors.ts";
import { scalarText, type Value } from "../core/values/value.ts";
import { foundText } from "./found.ts";
import { duration } from "./quantities.ts";

/** A number with its unit as a word. */
const words = /^([0-9.]+) ?(millisecond|second|minute|hour|day|week)s?$/;
const short: Readonly<Record<string, string>> = { millisecond: "ms", second: "s", minute: "m", hour: "h", day: "d" };

/**
 * Returns the milliseconds of a duration in the configuration: a number of seconds, `90s`, `15m`, `1 hour`, `2 weeks`. Undefined
 * for anything else.
 */
export function durationOf(value: Value): number | undefined {
  if (typeof value === "boolean") return undefined;
  const text = scalarText(value) ?? "";
  const [, amount = "", unit = ""] = words.exec(text) ?? [];
  if (unit === "week") return duration.read(`${7 * Number(amount)}d`);
  return duration.read(unit === "" ? text : amount + short[unit]);
}

/** Returns the fault of an invalid duration at a pointer. The schema reports values that are neither a text nor a number. */
export function durationFaults(value: Value | undefined, pointer: string): Fault[] {
  if (value === undefined || value === null || scalarText(value) === undefined || typeof value === "boolean") return [];
  if (durationOf(value) !== undefined) return [];
  const steps = pointer.split("/").slice(1);
  return [
    {
      pointer,
      message: `must be seconds, or a time such as "90s", "15m" or "1 hour", not ${foundText(value, steps)}`,
    },
  ];
}
