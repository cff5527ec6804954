import type { StopRule } from "../paginator.ts";

/** An error status that `http.ignoreErrors` tolerates ends the job (contract C-6.10). */
export const tolerated: StopRule = {
  rank: "word",
  stop({ ended, status }) {
    if (ended !== "tolerated") return undefined;
    const text = `ended with status ${status}, which ignoreErrors tolerates`;
    return { kind: "complete", text, warning: { key: "tolerated", text: `the job ${text}` } };
  },
  words: "",
};
