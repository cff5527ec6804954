import type { SpileError } from "../../core/errors.ts";
import type { JobRun } from "../job-run.ts";

/** Number of failed parents of a job that are listed one by one. */
export const maxListed = 10;

/**
 * Returns whether a failure concerns only the run for one parent record. An API that is down (75) or refuses the credentials (77)
 * would fail for other parents, too.
 */
export function concernsOneParent({ parents, endsJob }: JobRun, { kind }: SpileError): boolean {
  return parents.length > 0 && endsJob !== true && (kind === "data" || kind === "refused");
}
