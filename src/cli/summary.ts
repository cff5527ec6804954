import { openPending } from "../output/file-sink.ts";
import type { JobResult, RunResult } from "../pipeline/options.ts";

/** Writes how the run and each of its jobs ended as JSON (`--summary`, spec 10): the file is replaced whole. Throws an `output` error. */
export async function writeSummary(path: string, version: string, result: RunResult): Promise<void> {
  const { startedAt, durationMs, exitCode, records, jobs } = result;
  const summary = {
    version,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(durationMs),
    exitCode,
    records,
    jobs: jobs.map(jobSummary),
  };
  const file = await openPending(path);
  try {
    await file.write(Buffer.from(`${JSON.stringify(summary, undefined, 2)}\n`));
    await file.commit();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

function jobSummary(job: JobResult): JobResult {
  const { dataType, verdict, reason, pages, records, bytes, requests, retries, logins, expected } = job;
  return { job: job.job, dataType, verdict, reason, pages, records, bytes, requests, retries, logins, expected };
}
