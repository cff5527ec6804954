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
  if (advice !== undefined) {
    const clause = clauseOf({ reach, endAdvice: isExpired ? undefined : endAdvice });
    const mayAdvise = !isExpired && !plan.scroll.leads;
    if (clause !== "" || !mayAdvise) error.message = error.message.replace(advice, () => clause);
  }
  if (!isExpired) return undefined;
  if (createRestart !== undefined) return createRestart(error);
  error.message += ` (the job was resumed here; ${remedy})`;
  error.refusal = { status, isExpired: true };
  return undefined;
}

/** Returns the clause about the numbers of the API that replaces the hint in a message; "" for none. */
function clauseOf({ reach, endAdvice }: Pick<Slot["run"], "reach" | "endAdvice">): string {
  if (reach !== undefined && reach.records < reach.total)
    return ` (${reach.records} of ${reach.total} records came; if the API pages no further than this, "windows" cut the request into parts)`;
  return endAdvice === undefined ? "" : ` (${endAdvice})`;
}

/** Statuses with which APIs answer a token or an address that has expired. */
const expiredStatuses: ReadonlySet<number> = new Set([400, 404, 410, 422]);

const remedy = "its place may have expired since: run it without --resume to start over";
