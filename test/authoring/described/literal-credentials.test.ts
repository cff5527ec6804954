import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutLiteralCredentials } from "../../../src/authoring/described/literal-credentials.ts";
import type { ValueObject } from "../../../src/core/values/value.ts";
import { startApi } from "../../helpers/api.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";
import { runHere } from "../../helpers/run.ts";

const body = '{"password":7370001,"tokens":["s3cr3tT"],"auth":{"v":["s3cr3tA"]},"text":"{\\"token\\":\\"s3cr3tJ\\"}"}';

/** Returns a collection with credentials in all parts of a request. */
function collection(url: string): object {
  const header = [
    { key: "X-Api-Key", value: "s3cr3tH" },
    { key: "Referer", value: "https://a.b/?token=s3cr3tR" },
  ];
  const raw = `${url.replace("://", "://me:s3cr3tU@")}/a;token=s3cr3tM?api_key=s3cr3tQ`;
  const request = { method: "POST", url: { raw }, header, body: { mode: "raw", raw: body } };
  const schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
  return { info: { name: "c", schema }, item: [{ name: "A", request }] };
}

test("no credential of a description is written in plain text", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  await using folder = await temporaryFolder();
  const openapi = {
    openapi: "3.0.0",
    servers: [{ url: `${api.url}/;token=s3cr3tS/` }],
    paths: {
      "/a": {
        get: {
          parameters: [
            { name: "token", in: "query", required: true, schema: { type: "string", default: "s3cr3tD" } },
            { name: "X-Api-Key", in: "header", required: true, example: "s3cr3tE" },
          ],
          responses: { "200": { content: { "application/json": { schema: { type: "array", items: {} } } } } },
        },
      },
    },
  };
  const requester = {
    type: "HttpRequester",
    url_base: api.url,
    path: "/a;token=s3cr3tP",
    http_method: "POST",
    request_headers: { "X-Api-Key": "s3cr3tH", Referer: "https://a.b/?token=s3cr3tR" },
    request_parameters: { api_key: "s3cr3tQ" },
    request_body_json: JSON.parse(body),
    authenticator: { type: "BearerAuthenticator", api_token: "s3cr3tB" },
  };
  const byKey = { type: "ApiKeyAuthenticator", api_token: "s3cr3tK" };
  const authenticators = [
    requester.authenticator,
    { type: "BasicHttpAuthenticator", username: "me", password: "s3cr3tW" },
    { type: "JwtAuthenticator", secret_key: "s3cr3tY", algorithm: "HS256" },
    { ...byKey, header: "X-Tenant" },
    { ...byKey, inject_into: { type: "RequestOption", inject_into: "request_parameter", field_name: "tenant" } },
  ];
  const record_selector = { type: "RecordSelector", extractor: { type: "DpathExtractor", field_path: [] } };
  const manifests = authenticators.map((authenticator) => {
    const retriever = { type: "SimpleRetriever", requester: { ...requester, authenticator }, record_selector };
    return { type: "DeclarativeSource", streams: [{ type: "DeclarativeStream", name: "a", retriever }] };
  });
  for (const [option, description] of [
    ["--openapi", openapi],
    ["--postman", collection(api.url)],
    ...manifests.map((manifest) => ["--airbyte", manifest] as const),
  ] as const) {
    const file = await folder.write("description.json", JSON.stringify(description));
    const { code, stdout, stderr } = await spileHere(["init", option, file]);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout + stderr, /s3cr3t|7370001/, option);
  }
});

test("a run of a configuration without literal credentials sends the same requests", async () => {
  await using api = await startApi({ "/login": () => ({ token: "t" }), "*": () => [{ id: 1 }] });
  const before: ValueObject = {
    api: {
      baseUrl: api.url,
      http: { defaultOptions: { headers: { Authorization: "Bearer s3cr3tB" } } },
      authentication: {
        type: "login",
        loginRequest: { endpoint: "login", method: "POST", params: { password: "s3cr3tL" } },
        apiRequest: { headers: { "X-Token": "token" } },
      },
    },
    config: {
      "#token": "s3cr3tS",
      jobs: [
        {
          endpoint: { function: "concat", args: ["a;token=s3cr3tP?to=", { attr: "#token" }] },
          method: "POST",
          query: { api_key: ["s3cr3tQ", 7370001] },
          headers: { Referer: "https://me:s3cr3tU@b/?token=s3cr3tR" },
          params: JSON.parse(body),
        },
      ],
    },
  };
  const { configuration, credentials } = withoutLiteralCredentials(before);
  assert.doesNotMatch(JSON.stringify(configuration), /s3cr3t|7370001/);
  await runHere(before);
  await runHere(configuration, {
    variables: Object.fromEntries(credentials.map(({ variable, value }) => [variable, value])),
  });
  const [login, first, ...others] = api.log.map(({ target, headers, body: sent }) => ({ target, headers, sent }));
  assert.deepEqual([login?.sent, first?.headers["x-token"], first?.sent], ['{"password":"s3cr3tL"}', "t", body]);
  assert.deepEqual(others, [login, first]);
});
