import type { JobResult, RunResult } from "../core/runs/run.ts";
import { version } from "../version.ts";

/** The result of a run as plain JSON: the content of `--summary`, and a part of a report's figures. */
export interface Summary extends Pick<RunResult, "exitCode" | "records" | "durationMs"> {
  readonly version: string;
  readonly startedAt: string;
  /** Absent if there are none. */
  readonly suspectFiles?: RunResult["suspectFiles"];
  /** Absent if there are none. */
  readonly unlistedJobs?: number;
  readonly jobs: readonly JobResult[];
}

export function summaryOf({
  startedAt,
  durationMs,
  exitCode,
  records,
  jobs,
  suspectFiles = [],
  ...rest
}: RunResult): Summary {
  const { unlistedJobs = 0 } = rest;
  return {
    version,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(durationMs),
    exitCode,
    records,
    ...(suspectFiles.length > 0 ? { suspectFiles } : {}),
    ...(unlistedJobs > 0 ? { unlistedJobs } : {}),
    jobs: jobs.map(jobSummary),
  };
}

/** Returns the result of a job with its fields in a fixed order. */
function jobSummary(result: JobResult): JobResult {
  const { job, dataType, parent, verdict, reason, pages, records, duplicates, bytes, requests, retries } = result;
  const { filtered, logins, windows, failedParents, expected } = result;
  const counts = {
    pages,
    records,
    duplicates,
    filtered,
    bytes,
    requests,
    retries,
    logins,
    windows,
    failedParents,
    expected,
  };
  return { job, dataType, parent, verdict, reason, ...counts };
}
