import type { SpileError } from "../../core/errors.ts";
import type { Slot } from "../job-run.ts";
import type { CreateRestart } from "./after-resume.ts";

/**
 * Adapts the message of a refused page to its job. Returns the error from `createRestart` if the job was resumed at a place that may
 * have expired. The hint on how to ignore the refusal is removed if ignoring it would lose records: if the job was resumed here,
 * if fewer records came than the API's total says, or if the API itself named this page as the next one. If the API's own numbers
 * say whether the previous page was the last, a clause about them replaces the hint.
 */
export function refusedPage(
  error: SpileError,
  { run: { plan, reach, endAdvice, resumed }, number }: Pick<Slot, "run" | "number">,
  createRestart: CreateRestart,
): Error | undefined {
  if (error.kind !== "refused") return undefined;
  const { status = 0, advice } = error.refusal ?? {};
  const isExpired = resumed?.page === number && expiredStatuses.has(status);
  const isShort = reach !== undefined && reach.records < reach.total;
  if (advice !== undefined && (isExpired || isShort || plan.scroll.leads)) {
    const came = isShort
      ? ` (${reach.records} of ${reach.total} records came; if the API pages no further than this, "windows" cut the request into parts)`
      : "";
    error.message = error.message.replace(advice, () => came);
  } else if (advice !== undefined && endAdvice !== undefined) {
    error.message = error.message.replace(advice, () => ` (${endAdvice})`);
  }
  if (!isExpired) return undefined;
  if (createRestart !== undefined) return createRestart(error);
  error.message += ` (the job was resumed here; ${remedy})`;
  error.refusal = { status, isExpired: true };
  return undefined;
}

/** Statuses with which APIs answer a token or an address that has expired. */
const expiredStatuses: ReadonlySet<number> = new Set([400, 404, 410, 422]);

const remedy = "its place may have expired since: run it without --resume to start over";
