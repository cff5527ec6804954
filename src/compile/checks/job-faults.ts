import { checkScheme } from "../../config/address-scheme.ts";
import { allJobs } from "../../config/jobs.ts";
import type { Fault } from "../../core/errors.ts";
import { endpointWithSlots } from "../../core/requests/endpoint-place.ts";
import { pointerTo } from "../../core/values/path.ts";
import { isNumber, isObject, type Value } from "../../core/values/value.ts";
import { checkFilter } from "../../expression/filter.ts";
import { offsetAt } from "../../expression/php/time-zone.ts";
import { charsetOf } from "../../extract/format/format.ts";
import { formatFaults } from "../../extract/format/format-faults.ts";
import type { Job, Pagination } from "../../generated/configuration.ts";
import { charsetFault } from "../../http/body/charset.ts";
import { checkResponses } from "../../http/exchange/check-responses.ts";
import { endpointNames } from "../../pagination/index.ts";
import { stepFaults } from "../../steps/check-steps.ts";
import { dataFieldFaults, dataFieldWarnings } from "../jobs/records-at.ts";
import { checkPlaceholders } from "./check-placeholders.ts";
import { incrementFaults, sharedIncrements } from "./increment-faults.ts";
import { unfilledPlaceholders, unfilledVariables } from "./unfilled.ts";

/** Returns faults and warnings about jobs. `logsIn`: returns whether a job, given the jobs above it, needs a login. */
export function jobFaults(
  jobs: readonly Job[],
  pointers: ReadonlyMap<Job, string>,
  logsIn: (job: Job, ancestors: readonly Job[]) => boolean,
  pagination: Pagination | undefined,
): { faults: Fault[]; warnings: Fault[] } {
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  for (const { job, ancestors } of allJobs(jobs)) {
    const pointer = pointers.get(job) ?? "";
    const { endpoint } = job;
    if (typeof endpoint === "string") faults.push(...checkScheme(endpoint, pointerTo(pointer, "endpoint")));
    for (const [address, here] of addressesOf(job, pointer)) {
      if (typeof address === "string") warnings.push(...unfilledVariables(address, here));
      const texts = textsIn(address);
      const unfilled = texts.map((text) => endpointWithSlots(text, endpointNames(pagination, job)));
      if (ancestors.length === 0) warnings.push(...unfilledPlaceholders(unfilled, here));
      else warnings.push(...undefinedPlaceholders([job, ...ancestors], unfilled, here));
    }
    // An empty filter accepts every record.
    if (job.recursionFilter) faults.push(...checkFilter(job.recursionFilter, pointerTo(pointer, "recursionFilter")));
    const windowFindings = windowFaults(job, pointer);
    const incrementFindings = incrementFaults(job, pointer, ancestors);
    faults.push(
      ...formatFaults(job, pointer),
      ...charsetFaults(job, pointer),
      ...dataFieldFaults(job, pointer),
      ...keyFaults(job, pointer),
      ...windowFindings.faults,
    );
    faults.push(...jobStepFaults(job, pointer), ...incrementFindings.faults);
    faults.push(...checkResponses(job.responses, pointerTo(pointer, "responses"), logsIn(job, ancestors)));
    warnings.push(...dataFieldWarnings(job, pointer), ...windowFindings.warnings, ...incrementFindings.warnings);
    if (!writesAnything(job)) {
      const message =
        "none of its records are written, so it is not requested: it needs a child job whose records are written";
      warnings.push({ pointer: pointerTo(pointer, "write"), message });
    }
    if (ancestors.length > 0) faults.push(...checkPlaceholders(job, ancestors, pointer));
    else if (Object.keys(job.placeholders ?? {}).length > 0) {
      const message = "have no effect: only a child job has a parent to take values from";
      warnings.push({ pointer: pointerTo(pointer, "placeholders"), message });
    }
  }
  faults.push(...sharedIncrements(jobs, (job) => pointers.get(job) ?? ""));
  return { faults, warnings };
}

/** Returns whether records of the job, or of a job below it, are written. */
function writesAnything({ write, children = [] }: Job): boolean {
  return write !== false || children.some(writesAnything);
}

/** Returns the endpoints of a job and of its steps, with their pointers. */
function addressesOf(
  { endpoint, steps = [] }: Job,
  pointer: string,
): readonly (readonly [Value | undefined, string])[] {
  return [
    [endpoint, pointerTo(pointer, "endpoint")],
    ...steps.map((step, index) => [step.endpoint, pointerTo(pointer, "steps", index, "endpoint")] as const),
  ];
}

function jobStepFaults({ steps, endpoint, params, query, headers, userData }: Job, pointer: string): Fault[] {
  const readers = Object.entries({ endpoint, params, query, headers, userData }).map(([name, value]) => {
    return [value, pointerTo(pointer, name)] as const;
  });
  return stepFaults(steps, { pointer: pointerTo(pointer, "steps"), readers, login: false });
}

/** Returns a fault for each name in `key` that is not a property of the job's `schema`: Singer requires that it is one. */
function keyFaults({ key = [], schema }: Job, pointer: string): Fault[] {
  const { properties } = schema ?? {};
  if (!isObject(properties)) return [];
  const names = typeof key === "string" ? [key] : key;
  const propertyNames = Object.keys(properties).map((name) => JSON.stringify(name));
  return names
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => ({
      pointer: pointerTo(pointer, "key"),
      message: `${JSON.stringify(name)} is not a property of the schema, which has ${propertyNames.join(", ") || "none"}`,
    }));
}

/** Returns a warning for each `{name}` in an endpoint that neither the job nor a parent defines: the braces are sent unchanged. */
function undefinedPlaceholders(jobs: readonly Job[], texts: readonly string[], pointer: string): Fault[] {
  const definedNames = new Set(jobs.flatMap(({ placeholders }) => Object.keys(placeholders ?? {}).map(bareName)));
  const names = texts.flatMap((text) => [...text.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? ""));
  return [...new Set(names)]
    .filter((name) => !definedNames.has(bareName(name)))
    .map((name) => ({
      pointer,
      message: `"{${name}}" has no entry in "placeholders": it is sent as it is written`,
    }));
}

/** Returns the texts in an endpoint, including those in its expressions. */
function textsIn(endpoint: Value | undefined): readonly string[] {
  if (typeof endpoint === "string") return [endpoint];
  if (Array.isArray(endpoint)) return endpoint.flatMap((item: Value) => textsIn(item));
  return isObject(endpoint) ? textsIn(Object.values(endpoint)) : [];
}

function bareName(name: string): string {
  return name.replace(/^1:/, "");
}

function charsetFaults({ format }: Job, pointer: string): Fault[] {
  const charset = charsetOf(format);
  const message = charset === undefined ? undefined : charsetFault(charset);
  return message === undefined ? [] : [{ pointer: pointerTo(pointer, "format", "charset"), message }];
}

/** Returns the faults and warnings about a job's windows that the schema cannot find. `pointer` is the job's pointer. */
function windowFaults(
  { windows, steps, endpoint, params, query, headers }: Job,
  pointer: string,
): { faults: Fault[]; warnings: Fault[] } {
  if (windows === undefined) return { faults: [], warnings: [] };
  const { timeZone, unit, bounds } = windows;
  const windowsPointer = pointerTo(pointer, "windows");
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  if (typeof timeZone === "string" && offsetAt(timeZone, 0) === undefined) {
    const message = `found ${JSON.stringify(timeZone)}, which is not an IANA time zone such as "Europe/Prague"`;
    faults.push({ pointer: pointerTo(windowsPointer, "timeZone"), message });
  }
  if (unit !== undefined && bounds !== "closed") {
    warnings.push({ pointer: pointerTo(windowsPointer, "unit"), message: 'has no effect without "bounds": "closed"' });
  }
  const requestFields = [endpoint, params, query, headers, steps as Value | undefined];
  if (!requestFields.some((value) => value !== undefined && readsWindow(value))) {
    const message = 'no request reads the window: put {"window": "from"} and {"window": "to"} in "params", for example';
    warnings.push({ pointer: windowsPointer, message });
  }
  return { faults, warnings };
}

function readsWindow(value: Value): boolean {
  if (isNumber(value) || (!Array.isArray(value) && !isObject(value))) return false;
  const { window } = isObject(value) ? value : {};
  return window === "from" || window === "to" || Object.values(value).some((inner) => readsWindow(inner as Value));
}
