import type { StopRule } from "../paginator.ts";
import { doubtAfterResume } from "./ruled.ts";

/**
 * Ends the job at an error status that `http.ignoreErrors` tolerates. If the job pages and the API does not end its pages so, the
 * rest is lost (contract C-6.10).
 */
export function tolerated(pages: boolean, recordsTell: boolean): StopRule {
  return {
    rank: "word",
    stop(summary) {
      const { ended, status } = summary;
      if (ended !== "tolerated") return undefined;
      const text = `ended with status ${status}, which ignoreErrors tolerates`;
      const doubt =
        'no total says that all came ("limitStop": {"field": ...} would end the job at the API\'s own total)';
      return {
        kind: "complete",
        text,
        isRuled: true,
        warning: { key: "tolerated", text: `the job ${text}` },
        doubt: pages ? doubt : undefined,
        ...doubtAfterResume(summary, recordsTell),
      };
    },
    words: "",
  };
}
