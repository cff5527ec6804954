import { decoded, type Examples, ids } from "../example.ts";

const one = () => [{ id: 1 }];

/** Examples of docs/running.md. */
export const examples: Examples = {
  state: {
    answers: one,
    args: ["--state", "state.json"],
    shown: decoded,
    requests: ["GET /events?since=1970-01-01 00:00:00"],
    lines: ids(1),
  },
};
