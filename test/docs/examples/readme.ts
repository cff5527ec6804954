import { type Examples, withHeaders } from "../example.ts";

const user = (index: number) => ({ id: index + 1, name: `U${index + 1}` });

/** Examples of README.md. */
export const examples: Examples = {
  "users.json": {
    answers: ({ params }) => {
      const users = Array.from({ length: 120 }, (_, index) => user(index));
      const offset = Number(params.get("offset"));
      return { meta: { total: 120 }, data: { users: users.slice(offset, offset + Number(params.get("limit"))) } };
    },
    env: { API_TOKEN: "t-123" },
    args: ["--strict"],
    shown: withHeaders("authorization"),
    requests: [
      ["GET /v1/users?limit=100&offset=0", "Bearer t-123"],
      ["GET /v1/users?limit=100&offset=100", "Bearer t-123"],
    ],
    lines: Array.from({ length: 120 }, (_, index) => JSON.stringify(user(index))),
    says: /users complete: 120 of 120 records, 2 pages/,
  },
};
