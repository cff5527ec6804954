import type { StopRule } from "../paginator.ts";

/**
 * An error status that `http.ignoreErrors` tolerates ends the job; where it pages, one that is not how the API ends its
 * pages has lost the rest (contract C-6.10).
 */
export function tolerated(pages: boolean): StopRule {
  return {
    rank: "word",
    stop({ ended, status }) {
      if (ended !== "tolerated") return undefined;
      const text = `ended with status ${status}, which ignoreErrors tolerates`;
      const doubt =
        'no total says that all came ("limitStop": {"field": ...} would end the job at the API\'s own total)';
      return {
        kind: "complete",
        text,
        warning: { key: "tolerated", text: `the job ${text}` },
        doubt: pages ? doubt : undefined,
      };
    },
    words: "",
  };
}
