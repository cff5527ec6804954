import type { Fault } from "../../core/errors.ts";
import { pointerTo } from "../../core/values/path.ts";
import { isNumber, isObject, type Value } from "../../core/values/value.ts";
import { offsetAt } from "../../expression/php/time-zone.ts";
import type { Job } from "../../generated/configuration.ts";

/** Returns the faults of a job's windows that no schema can find. `pointer` is the job's pointer. */
export function windowFaults(
  { windows, steps, endpoint, params, query, headers }: Job,
  pointer: string,
): { faults: Fault[]; warnings: Fault[] } {
  if (windows === undefined) return { faults: [], warnings: [] };
  const { timeZone, unit, bounds } = windows;
  const here = pointerTo(pointer, "windows");
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  if (typeof timeZone === "string" && offsetAt(timeZone, 0) === undefined) {
    const message = `found ${JSON.stringify(timeZone)}, which is not an IANA time zone such as "Europe/Prague"`;
    faults.push({ pointer: pointerTo(here, "timeZone"), message });
  }
  if (unit !== undefined && bounds !== "closed") {
    warnings.push({ pointer: pointerTo(here, "unit"), message: 'has no effect without "bounds": "closed"' });
  }
  const requestFields = [endpoint, params, query, headers, steps as Value | undefined];
  if (!requestFields.some((value) => value !== undefined && readsWindow(value))) {
    const message =
      'no request carries its window: put {"window": "from"} and {"window": "to"} in "params", for example';
    warnings.push({ pointer: here, message });
  }
  return { faults, warnings };
}

function readsWindow(value: Value): boolean {
  if (isNumber(value) || (!Array.isArray(value) && !isObject(value))) return false;
  const { window } = isObject(value) ? value : {};
  return window === "from" || window === "to" || Object.values(value).some((inner) => readsWindow(inner as Value));
}
