import type { ErrorKind } from "../core/errors.ts";
import type { JobResult, RunResult } from "../core/runs/run.ts";
import { counted } from "../core/text/counted.ts";
import { numberText } from "./words.ts";

/** The verdicts of jobs, the worst first. */
export const verdicts: readonly JobResult["verdict"][] = ["failed", "suspect", "limited", "complete"];

export type RunVerdict = JobResult["verdict"] | "stopped";

const stops: ReadonlySet<ErrorKind> = new Set(["interrupted", "terminated", "hangup", "aborted"]);

/**
 * Returns the verdict of a run: that of its worst job, unless the run itself failed or was stopped. If the reader closed the
 * output, a complete run becomes limited.
 */
export function verdictOf({ failure, jobs }: Pick<RunResult, "failure" | "jobs">): RunVerdict {
  if (failure !== undefined && stops.has(failure.kind)) return "stopped";
  if (failure !== undefined && failure.kind !== "closedPipe") return "failed";
  const worst = verdicts.find((kind) => jobs.some(({ verdict }) => verdict === kind)) ?? "complete";
  return worst === "complete" && failure !== undefined ? "limited" : worst;
}

/** Says how a run ended. */
export function sentenceOf(result: RunResult): string {
  const verdict = verdictOf(result);
  const { jobs, failure, records } = result;
  const count = jobs.filter((job) => job.verdict === verdict).length;
  const some = `${numberText(count)} of ${counted(jobs.length, "job")}`;
  const recordsText = `${numberText(records)} ${records === 1 ? "record" : "records"} came`;
  if (verdict === "complete") return `${recordsText}, and no answer says that there are more.`;
  if (verdict === "suspect") return `${some} may lack records. ${recordsText}.`;
  if (verdict === "limited") return `${failure?.message ?? `${some} ended at a limit that was set`}. ${recordsText}.`;
  if (verdict === "stopped") return `${failure?.message ?? "the run was stopped"}. ${recordsText}.`;
  return `${jobs.length === 0 ? "no job began" : `${some} failed`}. ${recordsText}.`;
}
