import type { PageSummary } from "../../core/runs/page.ts";
import type { Reason, StopRule } from "../paginator.ts";

/**
 * Ends the job where the user's rule says so: one of `api.http.responses`, or the order of an increment. `recordsTell`: the job's
 * requests name the page.
 */
export function ruled(recordsTell: boolean): StopRule {
  return {
    rank: "word",
    stop(summary) {
      const { ruled: text } = summary;
      if (text === undefined) return undefined;
      return { kind: "complete", text, certain: true, isRuled: true, ...doubtAfterResume(summary, recordsTell) };
    },
    words: "",
  };
}

/**
 * Returns the doubt in an answer without records that ends a job just after a resume: an API that no longer knows the token or
 * address may answer so, too. A number of a page does not expire (contract C-11.9).
 */
export function doubtAfterResume(
  { resumed, records }: PageSummary,
  recordsTell: boolean,
): Pick<Reason, "doubt" | "mayHaveExpired"> {
  if (resumed === undefined || records > 0 || (resumed === "place" && recordsTell)) return {};
  const doubt = "the job was resumed here, and its place may have expired since (a run without --resume begins anew)";
  return { doubt, mayHaveExpired: true };
}
