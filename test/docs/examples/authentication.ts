import { createHash, createHmac } from "node:crypto";
import { text } from "../../helpers/api.ts";
import { type Examples, ids, target, withBody, withHeaders } from "../example.ts";

const one = () => [{ id: 1 }];

const token = { auth: { token: "t1", session: "s1" } };
const sha1 = (plain: string): string => createHash("sha1").update(plain).digest("hex");
function hs256(key: string, claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ typ: "JWT", alg: "HS256" })}.${part(claims)}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

const grant = { access_token: "at", expires_in: 3600 };

/** Examples of docs/authentication.md. */
export const examples: Examples = {
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
  remember: {
    answers: {
      "POST /token": () => ({ access_token: "at", refresh_token: "rt-2", expires_in: 3600 }),
      "/users": one,
    },
    args: ["--credentials", "credentials.json"],
    env: { REFRESH_TOKEN: "rt-1" },
    shown: (request) => [withBody(request), request.headers.authorization],
    requests: [
      ["POST /token grant_type=refresh_token&refresh_token=rt-1", undefined],
      ["GET /users", "Bearer at"],
    ],
    lines: ids(1),
  },
  "login-params": {
    answers: ({ body }) => ({ result: body.includes("user.login") ? "session-1" : [{ id: 1 }] }),
    env: { PASSWORD: "pw-123" },
    shown: withBody,
    requests: [
      'POST /rpc {"jsonrpc":"2.0","id":1,"method":"user.login","params":{"password":"pw-123"}}',
      'POST /rpc {"jsonrpc":"2.0","id":2,"method":"host.get","params":{"output":"extend","auth":"session-1"}}',
    ],
    lines: ids(1),
  },
  jwt: {
    answers: one,
    env: { SIGNING_KEY: "sk-123" },
    shown: withHeaders("authorization"),
    requests: [["GET /users", `Bearer ${hs256("sk-123", { iss: "me", sub: "reports" })}`]],
    lines: ids(1),
  },
  authentications: {
    answers: {
      "POST /reports/login": () => ({ token: "t-12345678" }),
      "/users": one,
      "/reports": one,
      "/reports/1/rows": () => [{ row: 1 }],
      "/status": () => ({ up: true }),
    },
    env: { PASSWORD: "pw-123", REPORTS_KEY: "rk-123" },
    shown: withHeaders("authorization"),
    requests: [
      ["GET /users", `Basic ${Buffer.from("ada:pw-123").toString("base64")}`],
      ["POST /reports/login", undefined],
      ["GET /reports", "Bearer t-12345678"],
      ["GET /reports/1/rows", "Bearer t-12345678"],
      ["GET /status", undefined],
    ],
    lines: [...ids(1), ...ids(1), '{"row":1,"parent_id":1}', '{"up":true}'],
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
  "oauth20.login-steps": {
    answers: {
      "POST /token": () => grant,
      "POST /accounts/session": () => ({ session: "session-1234" }),
      "/users": one,
    },
    shown: (request) => [withBody(request), request.headers["x-session"]],
    requests: [
      ["POST /token grant_type=refresh_token&refresh_token=refresh", undefined],
      ['POST /accounts/session {"token":"at","client":"client-id"}', undefined],
      ["GET /users", "session-1234"],
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
