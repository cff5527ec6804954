import { createHash, createHmac } from "node:crypto";
import { inTurn, text } from "../helpers/api.ts";
import { decoded, type Example, ids, target, withBody, withHeaders } from "./example.ts";

const one = () => [{ id: 1 }];

/** Examples of README's sections "The configuration", "Runs" and "HTTP options". */
export const requestExamples: Readonly<Record<string, Example>> = {
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
    ],
    lines: ids(1, 1, 1),
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
  state: {
    answers: one,
    args: ["--state", "state.json"],
    shown: decoded,
    requests: ["GET /events?since=1970-01-01 00:00:00"],
    lines: ids(1),
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

const token = { auth: { token: "t1", session: "s1" } };
const sha1 = (plain: string): string => createHash("sha1").update(plain).digest("hex");
const grant = { access_token: "at", expires_in: 3600 };

/** Examples of the sections "Login" and "Other authentication". */
export const authenticationExamples: Readonly<Record<string, Example>> = {
  login: {
    answers: { "POST /login": () => token, "/users": one },
    env: { PASSWORD: "pw-123" },
    shown: (request) => [withBody(request), request.headers["x-token"]],
    requests: [
      ['POST /login {"user":"ada","password":"pw-123"}', undefined],
      [`GET /users?session=${sha1("s1")}`, "t1"],
    ],
    lines: ids(1),
  },
  "login-text": {
    answers: { "/token": () => text("plain-token"), "/users": one },
    shown: withHeaders("x-token"),
    requests: [
      ["GET /token", undefined],
      ["GET /users", "plain-token"],
    ],
    lines: ids(1),
  },
  "login-scalar": {
    answers: { "/token": () => "abc", "/users": one },
    requests: ["GET /token", "GET /users?token=abc"],
    lines: ids(1),
  },
  "client-credentials": {
    answers: { "POST /token": () => grant, "/users": one },
    env: { CLIENT_SECRET: "cs-123" },
    shown: (request) => [withBody(request), request.headers.authorization],
    requests: [
      ["POST /token grant_type=client_credentials&client_id=me&client_secret=cs-123", undefined],
      ["GET /users", "Bearer at"],
    ],
    lines: ids(1),
  },
  bearer: {
    answers: one,
    env: { API_TOKEN: "t-123" },
    shown: withHeaders("authorization"),
    requests: [["GET /users", "Bearer t-123"]],
    lines: ids(1),
  },
  basic: {
    answers: one,
    env: { PASSWORD: "pw-123" },
    shown: withHeaders("authorization"),
    requests: [["GET /users", `Basic ${Buffer.from("ada:pw-123").toString("base64")}`]],
    lines: ids(1),
  },
  query: {
    answers: one,
    env: { SECRET: "sec-123" },
    requests: [`GET /users?key=k1&sign=${sha1("/userssec-123")}`],
    lines: ids(1),
  },
  oauth10: {
    answers: one,
    shown: (request) => [
      target(request),
      /^OAuth (?=.*oauth_consumer_key="client-id")(?=.*oauth_token="token")/.test(request.headers.authorization ?? ""),
    ],
    requests: [["GET /users", true]],
    lines: ids(1),
  },
  oauth20: {
    answers: one,
    shown: withHeaders("authorization", "x-client"),
    requests: [["GET /users", "Bearer granted", "client-id"]],
    lines: ids(1),
  },
  "oauth20.login": {
    answers: { "POST /token": () => grant, "/users": one },
    shown: (request) => [withBody(request), request.headers.authorization],
    requests: [
      [
        "POST /token grant_type=refresh_token&refresh_token=refresh&client_id=client-id&client_secret=client-secret",
        undefined,
      ],
      ["GET /users", "Bearer at"],
    ],
    lines: ids(1),
  },
  "aws.signature": {
    answers: one,
    shown: (request) => [
      target(request),
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/execute-api\/aws4_request,/.test(
        request.headers.authorization ?? "",
      ),
    ],
    requests: [["GET /users", true]],
    lines: ids(1),
  },
};
