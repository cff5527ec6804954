import { durationFaults } from "../../config/duration.ts";
import { allJobs, jobLabel } from "../../config/jobs.ts";
import type { Fault } from "../../core/errors.ts";
import { decimal } from "../../core/values/decimal.ts";
import { pointerTo } from "../../core/values/path.ts";
import { scalarText, type Value } from "../../core/values/value.ts";
import { contextNames } from "../../expression/shape.ts";
import type { Job } from "../../generated/configuration.ts";
import { batchedNames } from "../jobs/placeholders.ts";

interface Found {
  readonly faults: Fault[];
  readonly warnings: Fault[];
}

/**
 * Returns the faults and warnings about a job's increment that the schema cannot find. `ancestors`: the jobs above it, the nearest
 * first.
 */
export function incrementFaults(job: Job, pointer: string, ancestors: readonly Job[]): Found {
  const { incremental } = job;
  if (incremental === undefined) return { faults: [], warnings: [] };
  const incrementPointer = pointerTo(pointer, "incremental");
  return {
    faults: [
      ...sourceFaults(incremental, incrementPointer),
      ...lookbackFaults(incremental, incrementPointer),
      ...batchFaults([job, ...ancestors], incrementPointer),
    ],
    warnings: [...unreadIncrement(job, incrementPointer), ...incrementAbove(ancestors, incrementPointer)],
  };
}

/** Returns the fault of an increment in a job with a batch or below one: a watermark for each parent needs a request for each. */
function batchFaults(jobs: readonly Job[], pointer: string): Fault[] {
  const [batched] = jobs.flatMap(batchedNames);
  if (batched === undefined) return [];
  const message = `needs one request for each parent, but the batch ${JSON.stringify(batched)} joins several: remove "batch" or "incremental"`;
  return [{ pointer, message }];
}

/** Returns a warning if a job above has an increment, too: children of the records that it no longer requests are missed. */
function incrementAbove(ancestors: readonly Job[], pointer: string): Fault[] {
  const parent = ancestors.find(({ incremental }) => incremental !== undefined);
  if (parent === undefined) return [];
  const name = JSON.stringify(jobLabel(parent));
  const message = `${name} above it is incremental too: this job requests nothing for records of ${name} that have not changed`;
  return [{ pointer, message }];
}

/** Returns a fault for each increment if an earlier job of the dataset has one: both would share an entry in the state. */
export function sharedIncrements(jobs: readonly Job[], pointerOf: (job: Job) => string): Fault[] {
  const first = new Map<string, Job>();
  return [...allJobs(jobs)].flatMap(({ job }) => {
    if (job.incremental === undefined) return [];
    const earlierJob = first.get(jobLabel(job));
    if (earlierJob === undefined) first.set(jobLabel(job), job);
    if (earlierJob === undefined) return [];
    const message = `${pointerOf(earlierJob)} has an increment of the dataset ${JSON.stringify(jobLabel(job))} too: give one of them another "dataType"`;
    return [{ pointer: pointerTo(pointerOf(job), "incremental"), message }];
  });
}

function sourceFaults(
  { path, response, type, lookback, delimiter, filter, order }: NonNullable<Job["incremental"]>,
  pointer: string,
): Fault[] {
  if (path === undefined && response === undefined) {
    return [{ pointer, message: 'needs "path", the place of a value in each record, or "response"' }];
  }
  if (response === undefined) return [];
  const extraFields = Object.entries({ path, type, lookback, delimiter, filter, order }).filter(
    ([, value]) => value !== undefined,
  );
  const faults = extraFields.map(([name]) => ({
    pointer: pointerTo(pointer, name),
    message: 'cannot be combined with "response"',
  }));
  if (typeof response === "string" || response.lastRecord === undefined) return faults;
  return [
    ...faults,
    {
      pointer: pointerTo(pointer, "response"),
      message: '"lastRecord" is not possible here: "path" reads a value from the records',
    },
  ];
}

function lookbackFaults({ type = "time", lookback }: NonNullable<Job["incremental"]>, pointer: string): Fault[] {
  const lookbackPointer = pointerTo(pointer, "lookback");
  if (lookback === undefined) return [];
  if (type === "time") return durationFaults(lookback, lookbackPointer);
  if (type === "text")
    return [{ pointer: lookbackPointer, message: 'a "text" cannot be moved back; only numbers and times can' }];
  const number = decimal(scalarText(lookback) ?? "");
  return number === undefined || number.negative
    ? [{ pointer: lookbackPointer, message: "must be a number of at least 0" }]
    : [];
}

/** Returns a warning for an increment that no request reads: everything is fetched each time, unless the job drops older records. */
function unreadIncrement(
  { endpoint, params, query, headers, steps, windows, incremental }: Job,
  pointer: string,
): Fault[] {
  if (incremental?.filter === true || incremental?.order !== undefined) return [];
  const values = [endpoint, params, query, headers, steps, windows?.from, windows?.to] as readonly (
    | Value
    | undefined
  )[];
  if (values.some((value) => value !== undefined && contextNames(value, "incremental").includes("from"))) return [];
  return [
    {
      pointer,
      message:
        'no request reads it: put {"incremental": "from"} in "params", for example, or drop older records with "filter": true',
    },
  ];
}
