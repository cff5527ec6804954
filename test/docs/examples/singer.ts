import type { Examples } from "../example.ts";

/** Examples of docs/singer.md, as plain records; ../singer-messages.test.ts runs all examples with --singer. */
export const examples: Examples = {
  "singer-schema": {
    answers: () => [{ id: 1, name: "Ann", balance: 12.5 }],
    requests: ["GET /users"],
    lines: ['{"id":1,"name":"Ann","balance":12.5}'],
  },
};
