import type { RunTime } from "../../core/runs/run.ts";
import { isObject, type Value } from "../../core/values/value.ts";
import { shapeOf } from "../../expression/shape.ts";
import type { Job } from "../../generated/configuration.ts";
import type { JobEnvironment } from "../environment.ts";

/**
 * Returns the reason why `previousStart` cannot be right; undefined if it may be right. It is the start of an earlier run, so it
 * cannot be later than the start of this run.
 */
export function startDoubt({ previousStart, currentStart }: RunTime): string | undefined {
  if (previousStart <= currentStart) return undefined;
  const time = new Date(previousStart * 1000);
  const name = Number.isNaN(time.getTime()) ? previousStart : time.toISOString().replace(".000", "");
  const remedy = "set /time/previousStart to a time from which everything is requested again";
  return `the time in the state, ${name}, is later than this run's start: the clock is or was wrong; ${remedy}`;
}

/** Returns the reason why every end of a job is suspect, if its requests use a `previousStart` that cannot be right. */
export function doubtOf(job: Job, { api, config, startDoubt: doubt }: JobEnvironment): string | undefined {
  if (doubt === undefined) return undefined;
  const { children: _, ...own } = job;
  return [own, api, config.http].some((part) => readsPreviousStart(part as Value | undefined)) ? doubt : undefined;
}

function readsPreviousStart(value: Value | undefined): boolean {
  if (value === undefined || value === null || typeof value !== "object") return false;
  const shape = shapeOf(value, []);
  if (shape?.kind === "time") return shape.name === "previousStart";
  if (Array.isArray(value)) return value.some(readsPreviousStart);
  return isObject(value) && Object.values(value).some(readsPreviousStart);
}
