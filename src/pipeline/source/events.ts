import type { SpileError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/runs/event.ts";
import type { PageSummary } from "../../core/runs/page.ts";
import type { JobResult } from "../../core/runs/run.ts";
import { counted } from "../../core/text/counted.ts";
import type { Advance } from "../../pagination/scroll.ts";
import { type JobRun, windowName } from "../job-run.ts";

/** Returns the event of a page that has ended well. `lines`: the number of its written lines. */
export function pageEvent(run: JobRun, page: number, summary: PageSummary, lines: number, step: Advance): RunEvent {
  const { plan } = run;
  const { records, bytes, url, status } = summary;
  const { reached, expected = step.verdict?.expected } = step;
  // The event of a run's last page says how the run ends.
  const verdict = step.next === undefined ? step.verdict : undefined;
  return {
    event: "page",
    level: "info",
    message: counted(records, "record"),
    job: plan.label,
    dataType: plan.dataType,
    window: windowName(run),
    page,
    url,
    status,
    records: lines,
    bytes,
    reached,
    expected,
    verdict: verdict?.kind,
    reason: verdict?.reason,
  };
}

/** Returns a notice if lines of a repeated page were written because the page exceeded the hold (contract P6). */
export function repeatNotice({ repeated }: Advance, writtenRecords: number): string[] {
  if (!repeated || writtenRecords === 0) return [];
  const lines = counted(writtenRecords, "record");
  return [
    `the page repeats the one before it, and the output contains ${lines} of it again; a greater --hold keeps such a page back`,
  ];
}

/** Returns the event of a failed run of a job, with its place. */
export function errorEvent(run: JobRun, { message, exitCode, job, page, step }: SpileError): RunEvent {
  const place = { job, dataType: run.plan.dataType, window: windowName(run), page };
  return { event: "error", level: "error", message, ...place, ...(step === undefined ? {} : { step }), exitCode };
}

/** Returns the event of a warning about a page of a run. */
export function warningEvent(run: JobRun, message: string, page: number): RunEvent {
  const { label, dataType } = run.plan;
  return { event: "warning", level: "warning", message, job: label, dataType, window: windowName(run), page };
}

/** Returns the event about a dataset of which no run has received records. */
export function emptyEvent({ dataType, message }: { readonly dataType: string; readonly message: string }): RunEvent {
  return { event: "warning", level: "warning", message, job: dataType, dataType };
}

export function jobEndEvent(result: JobResult): RunEvent {
  const { job, dataType, verdict, reason, records, bytes, duplicates } = result;
  const level = verdict === "failed" ? "error" : verdict === "suspect" ? "warning" : "info";
  const message = `${verdict}: ${reason}`;
  return { event: "job.end", level, message, job, dataType, verdict, reason, records, bytes, duplicates };
}
