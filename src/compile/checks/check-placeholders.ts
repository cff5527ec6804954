import type { Fault } from "../../core/errors.ts";
import { nearest } from "../../core/text/nearest.ts";
import { pointerTo } from "../../core/values/path.ts";
import type { Value } from "../../core/values/value.ts";
import { contextNames } from "../../expression/shape.ts";
import type { Job, Placeholder } from "../../generated/configuration.ts";
import { batchedNames, levelOf, listNames } from "../jobs/placeholders.ts";

/** Returns the faults of a child job's placeholders. `ancestors`: the jobs above it, the nearest first. */
export function checkPlaceholders(job: Job, ancestors: readonly Job[], pointer: string): Fault[] {
  const placeholdersPointer = pointerTo(pointer, "placeholders");
  return [
    ...Object.keys(job.placeholders ?? {}).flatMap((name) =>
      checkLevel(name, ancestors.length, pointerTo(placeholdersPointer, name)),
    ),
    ...checkBatches(job, ancestors, placeholdersPointer),
    ...checkLists([job, ...ancestors], pointer),
    ...checkReferences([job, ...ancestors], pointer),
  ];
}

function checkLevel(name: string, depth: number, pointer: string): Fault[] {
  const level = levelOf(name);
  if (level >= 1 && level <= depth) return [];
  const levels = depth === 1 ? "the job has one parent" : `the job has ${depth} levels of parents`;
  return [{ pointer, message: `looks ${level} levels up, but ${levels}` }];
}

/**
 * Checks that only one placeholder of a job has a batch, that it reads the parent, and that no other placeholder takes a value from
 * the joined records. Also checks the fields of each placeholder.
 */
function checkBatches(job: Job, ancestors: readonly Job[], pointer: string): Fault[] {
  const { placeholders = {} } = job;
  const [batched, ...further] = batchedNames(job);
  const faults = further.map((name) => ({
    pointer: pointerTo(pointer, name, "batch"),
    message: `${JSON.stringify(batched)} already has a batch, and a job can have only one`,
  }));
  if (batched !== undefined && levelOf(batched) !== 1) {
    const message = "a batch joins values of the parent's records only, not of records above them";
    faults.push({ pointer: pointerTo(pointer, batched, "batch"), message });
  }
  for (const [name, configured] of Object.entries(placeholders)) {
    const joiningJob = [job, ...ancestors][levelOf(name) - 1];
    const batch = joiningJob === undefined ? undefined : batchedNames(joiningJob)[0];
    if (batch !== undefined && !(joiningJob === job && batchedNames(job).includes(name))) {
      const message = `needs the value of a single record, but the batch ${JSON.stringify(batch)} joins several records`;
      faults.push({ pointer: pointerTo(pointer, name), message });
    }
    if (typeof configured === "object") faults.push(...checkForm(configured, pointerTo(pointer, name)));
  }
  return faults;
}

/** Checks the fields of a placeholder that need "batch" or "as": "list". */
function checkForm({ batch, separator, as, key }: Exclude<Placeholder, string>, pointer: string): Fault[] {
  const isList = as === "list";
  const rows: readonly (readonly [field: string, isWrong: boolean, message: string])[] = [
    ["separator", separator !== undefined && batch === undefined, 'needs "batch", whose values it separates'],
    ["separator", separator !== undefined && isList, 'cannot be combined with "as": "list"'],
    ["as", as !== undefined && batch === undefined, 'needs "batch": it says how the values of a batch are sent'],
    ["key", key !== undefined && !isList, 'needs "as": "list": each value of the list gets this key'],
  ];
  return rows.flatMap(([field, isWrong, message]) =>
    isWrong ? [{ pointer: pointerTo(pointer, field), message }] : [],
  );
}

/** Checks that the addresses of a job contain no placeholder that is a list, be it the job's or that of a job above it. */
function checkLists(jobs: readonly Job[], pointer: string): Fault[] {
  const [{ endpoint = "", steps = [] } = {}] = jobs;
  const names = jobs.flatMap(listNames);
  const addresses = [
    [endpoint, pointerTo(pointer, "endpoint")],
    ...steps.map((step, index) => [step.endpoint, pointerTo(pointer, "steps", index, "endpoint")]),
  ] as const;
  return addresses.flatMap(([address, here = ""]) =>
    names
      .filter((name) => JSON.stringify(address).includes(`{${name}}`))
      .map((name) => ({
        pointer: String(here),
        message: `{${name}} is a list ("as": "list"): put it into "params" as {"placeholder": ${JSON.stringify(name)}}`,
      })),
  );
}

/** Checks that each `{"placeholder": ...}` in parameters and headers names a placeholder of the job or of a job above it. */
function checkReferences(jobs: readonly Job[], pointer: string): Fault[] {
  const [{ params = {}, query = {}, headers = {}, steps = [] } = {}] = jobs;
  const placeholderNames = jobs.flatMap(({ placeholders = {} }) => Object.keys(placeholders));
  const inside = (map: Readonly<Record<string, Value>>, ...key: readonly (string | number)[]): Fault[] =>
    Object.entries(map).flatMap(([name, value]) =>
      contextNames(value, "placeholder").flatMap((found) => {
        if (placeholderNames.includes(found)) return [];
        const meant = nearest(found, placeholderNames);
        const suggested = meant === undefined ? "" : `, did you mean ${JSON.stringify(meant)}?`;
        const message = `there is no placeholder ${JSON.stringify(found)}${suggested}`;
        return [{ pointer: pointerTo(pointer, ...key, name), message, suggestion: meant }];
      }),
    );
  const inSteps = steps.flatMap((step, index) => [
    ...inside(step.params ?? {}, "steps", index, "params"),
    ...inside(step.headers ?? {}, "steps", index, "headers"),
  ]);
  return [...inside(params, "params"), ...inside(query, "query"), ...inside(headers, "headers"), ...inSteps];
}
