import { gzipSync } from "node:zlib";
import { json, type Received, text } from "../../helpers/api.ts";
import { type Examples, withBody, withHeaders } from "../example.ts";

/** Returns a handler that answers with these values in turn, and with the last one from then on. */
function inTurn(...values: readonly unknown[]): () => unknown {
  let index = -1;
  return () => {
    index = Math.min(index + 1, values.length - 1);
    return values[index];
  };
}

/** Examples of docs/exports.md. */
export const examples: Examples = {
  export: {
    env: { EXAMPLE_TOKEN: "example-token" },
    answers: {
      "POST /v1/exports": () => json({ export: { id: 17 } }, { status: 202 }),
      "/v1/exports/17": inTurn(
        { status: "running" },
        { status: "done", files: ["/files/17-a.csv.gz", "/files/17-b.csv.gz"] },
      ),
      "/files/17-a.csv.gz": () => text(gzipSync("id,total\n007,1.10\n008,2.50\n")),
      "/files/17-b.csv.gz": () => text(gzipSync("id,total\n009,0.99\n")),
    },
    shown: withHeaders("x-api-key"),
    requests: [
      ["POST /v1/exports", "example-token"],
      ["GET /v1/exports/17", "example-token"],
      ["GET /v1/exports/17", "example-token"],
      ["GET /files/17-a.csv.gz", undefined],
      ["GET /files/17-b.csv.gz", undefined],
    ],
    lines: ['{"id":"007","total":"1.10"}', '{"id":"008","total":"2.50"}', '{"id":"009","total":"0.99"}'],
  },
  "export-windows": {
    answers: {
      "POST /reports": ({ body }: Received) => ({ id: (JSON.parse(body) as { from: number }).from }),
      "/reports/1704067200": inTurn({ url: null }, { url: "january" }),
      "/reports/1706745600": () => ({ url: "february" }),
      "/january": () => [{ month: 1 }],
      "/february": () => [{ month: 2 }],
    },
    shown: withBody,
    requests: [
      'POST /reports {"from":1704067200,"to":1706745600}',
      "GET /reports/1704067200",
      "GET /reports/1704067200",
      "GET /january",
      'POST /reports {"from":1706745600,"to":1709251200}',
      "GET /reports/1706745600",
      "GET /february",
    ],
    lines: ['{"month":1}', '{"month":2}'],
  },
  "login-steps": {
    env: { EXAMPLE_PASSWORD: "example-password" },
    answers: {
      "/login/flow": () =>
        json(
          { action: "/login?flow=7", csrf: "csrf-1234" },
          { headers: { "Set-Cookie": "flow=7-cookie; Path=/login" } },
        ),
      "POST /login": () => ({ session: "session-1234" }),
      "/users": () => [{ id: 1 }],
    },
    shown: (request) => [withBody(request), request.headers["x-session"], request.headers.cookie],
    requests: [
      ["GET /login/flow", undefined, undefined],
      [
        'POST /login?flow=7 {"user":"reader","password":"example-password","csrf":"csrf-1234"}',
        undefined,
        "flow=7-cookie",
      ],
      ["GET /users", "session-1234", undefined],
    ],
    lines: ['{"id":1}'],
  },
};
