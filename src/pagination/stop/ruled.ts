import type { StopRule } from "../paginator.ts";

/** The user's rule ends the pages here: one of `api.http.responses`, or the order of an increment. */
export const ruled: StopRule = {
  rank: "word",
  stop: ({ ruled: text }) =>
    text === undefined ? undefined : { kind: "complete", text, certain: true, isRuled: true },
  words: "",
};
