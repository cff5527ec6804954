import { createHmac } from "node:crypto";
import { inTurn, json, text } from "../../helpers/api.ts";
import { type Examples, ids, withBody, withHeaders } from "../example.ts";

const one = () => [{ id: 1 }];

/** Examples of docs/configuration.md. */
export const examples: Examples = {
  sections: {
    answers: one,
    shown: withHeaders("x-client"),
    requests: [
      ["GET /v1/users?status=active", "spile"],
      ["GET /v1/orders", "spile"],
    ],
    lines: ids(1, 1),
  },
  settings: {
    answers: one,
    env: { API_KEY: "k-123" },
    shown: withHeaders("x-api-key"),
    requests: [["GET /users?account=345", "k-123"]],
    lines: ids(1),
  },
  requests: {
    answers: one,
    shown: (request) => [
      decodeURIComponent(withBody(request)),
      request.headers["x-tenant"],
      request.headers["x-client"],
    ],
    requests: [
      ["GET /users?active=1&locale=de&fields[0]=id&fields[1]=name", "t2", "spile"],
      ['POST /search {"locale":"en","fields":["id","name"],"filter":{"age":{"min":21}}}', "t1", "spile"],
      ["POST /export locale=en&fields[0]=id&fields[1]=name&ids[0]=1&ids[1]=2", "t1", "spile"],
      ['POST /search?page_size=20 {"locale":"en","fields":["id","name"],"status":["paid"]}', "t1", "spile"],
    ],
    lines: ids(1, 1, 1, 1),
  },
  endpoints: {
    answers: ({ params }) => (params.get("offset") === "0" ? [{ id: 1 }, { id: 2 }] : []),
    requests: ["regions/eu/users", "regions/us/users", "orders", `orders/${new Date().getUTCFullYear()}`].flatMap(
      (path) => [0, 2].map((offset) => `GET /v1/${path}?limit=2&offset=${offset}`),
    ),
    lines: ids(1, 2, 1, 2, 1, 2, 1, 2),
  },
  expressions: {
    answers: one,
    requests: [
      `GET /v1/events?from=2024-03-03&signature=${createHmac("sha256", "s3cret").update("events").digest("hex")}&size=large`,
    ],
    lines: ids(1),
  },
  iterations: {
    answers: one,
    requests: ["GET /users?account=345", "GET /users?account=456"],
    lines: ids(1, 1),
  },
  "rate-limit": {
    answers: () => json([{ id: 1 }], { headers: { "x-quota-left": "7", "x-quota-reset": "60" } }),
    requests: ["GET /users?ids=1,2"],
    lines: ids(1),
  },
  "rate-of-a-job": {
    answers: { "/users": one, "/search": one },
    requests: ["GET /users?active=1", "GET /search?q=open"],
    lines: [...ids(1), ...ids(1)],
  },
  "rules-of-jobs": {
    answers: {
      "/repos": () => [{ name: "a" }],
      "/repos/a/teams": () => json({ message: "Not Found" }, { status: 404 }),
      "/repos/a/hooks": () => json({ message: "You need admin rights" }, { status: 403 }),
    },
    requests: ["GET /repos", "GET /repos/a/teams", "GET /repos/a/hooks"],
    lines: ['{"name":"a"}'],
  },
  http: {
    answers: {
      "/missing": () => text("gone", { status: 404 }),
      "/users": inTurn(text("busy", { status: 503, headers: { "x-retry-in": "0.1" } }), one),
    },
    args: ["-v"],
    env: { APP_KEY: "a-1" },
    shown: withHeaders("x-app-key"),
    requests: [
      ["GET /missing", "a-1"],
      ["GET /users", "a-1"],
      ["GET /users", "a-1"],
    ],
    lines: ['{"errorData":"gone"}', ...ids(1)],
    says: /retry 1 of 3/,
  },
};
