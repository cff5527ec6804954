import { durationOf } from "../config/duration.ts";
import { isNumber, type Value, valueText } from "../core/values/value.ts";
import type { Step as ConfiguredStep, ResponseCondition } from "../generated/configuration.ts";

/** Describes steps: `steps create, poll (until "status" is "done", every 5 s, at most 1 h)`. An empty list if there are none. */
export function stepWords(steps: readonly ConfiguredStep[] | undefined): readonly string[] {
  if (steps === undefined || steps.length === 0) return [];
  return [`${steps.length === 1 ? "step" : "steps"} ${steps.map(oneStep).join(", ")}`];
}

function oneStep({ name, until, accept, every = 5, timeout = 3600 }: ConfiguredStep): string {
  if (until === undefined) return name;
  const waits = accept === undefined ? "" : `, waits after ${oneOf(accept as Value)}`;
  return `${name} (until ${conditionText(until)}${waits}, every ${durationText(every)}, at most ${durationText(timeout)})`;
}

function conditionText({ status, header, path, is, matches }: ResponseCondition): string {
  const subject = header === undefined ? path && JSON.stringify(path) : `the header ${header}`;
  const value = [
    is === undefined ? undefined : `is ${oneOf(is)}`,
    matches === undefined ? undefined : `matches ${matches}`,
  ];
  const clause = value.filter((text) => text !== undefined).join(" and ") || "is there";
  return [
    status === undefined ? undefined : `the status is ${oneOf(status as Value)}`,
    subject && `${subject} ${clause}`,
  ]
    .filter((text) => text !== undefined)
    .join(" and ");
}

function oneOf(value: Value): string {
  return (Array.isArray(value) ? (value as readonly Value[]) : [value]).map(valueText).join(" or ");
}

function durationText(value: Value): string {
  if (typeof value === "string" && !isNumber(value) && /[a-z]/.test(value)) return value;
  const seconds = (durationOf(value) ?? 0) / 1000;
  if (seconds > 0 && seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds > 0 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
