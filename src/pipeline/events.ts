import { counted } from "../core/counted.ts";
import type { RunEvent } from "../core/event.ts";
import type { PageSummary } from "../core/page.ts";
import type { JobRun } from "./frontier.ts";
import type { JobResult } from "./options.ts";

/** A page that has ended well; `lines` of it are written. */
export function pageEvent({ plan }: JobRun, page: number, summary: PageSummary, lines: number): RunEvent {
  const { records, bytes, url, status } = summary;
  return {
    event: "page",
    level: "info",
    message: counted(records, "record"),
    job: plan.label,
    dataType: plan.dataType,
    page,
    url,
    status,
    records: lines,
    bytes,
  };
}

export function jobEndEvent(result: JobResult): RunEvent {
  const { job, dataType, verdict, reason, records, bytes, duplicates } = result;
  const level = verdict === "failed" ? "error" : verdict === "suspect" ? "warning" : "info";
  const message = `${verdict}: ${reason}`;
  return { event: "job.end", level, message, job, dataType, verdict, reason, records, bytes, duplicates };
}
