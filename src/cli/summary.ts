import type { Writable } from "node:stream";
import type { JobResult, RunResult } from "../core/run.ts";
import { version } from "../version.ts";
import { deliver } from "./output.ts";

/** Writes how the run and each of its jobs ended as JSON (`--summary`, contract C-10.4): the file is replaced whole; `-` is stdout. Throws an `output` error. */
export async function writeSummary(path: string, result: RunResult, stdout: Writable): Promise<void> {
  const { startedAt, durationMs, exitCode, records, jobs } = result;
  const summary = {
    version,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(durationMs),
    exitCode,
    records,
    jobs: jobs.map(jobSummary),
  };
  await deliver(`${JSON.stringify(summary, undefined, 2)}\n`, path, stdout);
}

function jobSummary(job: JobResult): JobResult {
  const { dataType, verdict, reason, pages, records, duplicates, bytes, requests, retries, logins, windows, expected } =
    job;
  const { filtered, failedParents } = job;
  return {
    job: job.job,
    dataType,
    verdict,
    reason,
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
}
