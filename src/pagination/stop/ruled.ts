import type { StopRule } from "../paginator.ts";

/** A rule of `api.http.responses` says that the pages end here. */
export const ruled: StopRule = {
  rank: "word",
  stop: (summary) =>
    summary.ruled === undefined
      ? undefined
      : { kind: "complete", text: `ended as the API ${summary.ruled}`, certain: true },
  words: "",
};
