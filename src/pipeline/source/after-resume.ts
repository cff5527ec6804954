import { SpileError } from "../../core/errors.ts";
import type { Verdict } from "../../core/runs/page.ts";
import type { JobRun, Slot } from "../job-run.ts";

/**
 * A function that creates the error that restarts a job whose place has expired; undefined if the job's lines cannot be removed.
 */
export type CreateRestart = ((error: SpileError) => Error) | undefined;

/**
 * Returns the error from `createRestart` if the first answer of a resumed run ends the run, and the place of the run may have expired.
 */
export function endAfterResume(
  verdict: Verdict | undefined,
  { run }: Slot,
  createRestart: CreateRestart,
): Error | undefined {
  if (verdict?.expired === undefined) return undefined;
  const error = new SpileError("refused", `the first page after the resume ${verdict.expired}`);
  error.job = run.plan.label;
  return createRestart?.(error);
}

/**
 * Returns the verdict on a run that ends with its steps. If a rule ends it just after a resume, the end is suspect: an answer may
 * have expired.
 */
export function endOfSteps({ from }: JobRun, ended: string | undefined): Verdict {
  if (ended === undefined) return { kind: "complete", reason: "the steps gave no address" };
  const isResumed = (from?.steps?.answers.length ?? 0) > 0;
  if (!isResumed) return { kind: "complete", reason: ended };
  return {
    kind: "suspect",
    reason: `${ended}: the job was resumed with earlier answers, which may have expired since`,
  };
}
