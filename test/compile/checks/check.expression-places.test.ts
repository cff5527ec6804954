import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bundleSchemas, type Schema } from "../../../scripts/generate/bundle.ts";
import { changed, faultsOf } from "../../config/reading.ts";
import { startApi } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";

const job = "/config/jobs/0";
const login = { type: "login", loginRequest: { endpoint: "login" } };
const credentials = { appKey: "a", "#appSecret": "s", "#data": '{"a": 1}' };

/** Every field of the schemas that accepts expressions, with a place of an expression in it, and the surroundings that the field needs. */
const rows: Readonly<Record<string, readonly [at: string, around?: Record<string, unknown>]>> = {
  "HttpOptions.headers": ["/api/http/headers/X-A"],
  "DefaultOptions.headers": ["/api/http/defaultOptions/headers/X-A"],
  "DefaultOptions.params": ["/api/http/defaultOptions/params/a"],
  "RunHttp.headers": ["/config/http/headers/X-A"],
  "RunConfig.userData": ["/config/userData/a"],
  "Iteration.userData": ["/iterations/0/userData/a", { "/iterations": [{ userData: {} }] }],
  "Job.params": [`${job}/params/a`],
  "Job.query": [`${job}/query/a`],
  "Job.headers": [`${job}/headers/X-A`],
  "Job.userData": [`${job}/userData/a`],
  "Step.params": [`${job}/steps/0/params/a`, { [`${job}/steps`]: [{ name: "first", endpoint: "first" }] }],
  "Step.headers": [`${job}/steps/0/headers/X-A`, { [`${job}/steps`]: [{ name: "first", endpoint: "first" }] }],
  "LoginRequest.params": ["/api/authentication/loginRequest/params/a", { "/api/authentication": login }],
  "LoginRequest.headers": ["/api/authentication/loginRequest/headers/X-A", { "/api/authentication": login }],
  "ApiRequest.headers": ["/api/authentication/apiRequest/headers/X-A", { "/api/authentication": login }],
  "ApiRequest.query": ["/api/authentication/apiRequest/query/a", { "/api/authentication": login }],
  "QueryAuthentication.query": ["/api/authentication/query/a", { "/api/authentication": { type: "query" } }],
  "UrlQueryAuthentication.query": ["/api/authentication/query/a", { "/api/authentication": { type: "url.query" } }],
  "Api.query": ["/api/query/a", { "/api/authentication": { type: "query" } }],
  "Oauth20Authentication.headers": ["/api/authentication/headers/X-A", withOauth("oauth20")],
  "Oauth20Authentication.query": ["/api/authentication/query/a", withOauth("oauth20")],
  "ScrollRequest.params": ["/api/pagination/scrollRequest/params/a", withScrollRequest()],
  "ScrollRequest.headers": ["/api/pagination/scrollRequest/headers/X-A", withScrollRequest()],
};

const minimal = { api: { baseUrl: "https://api.example.com" }, config: { jobs: [{ endpoint: "users" }] } };

describe("an expression that reads a missing value is a fault at each place", () => {
  test("each field of the schemas that accepts expressions has a row", async () => {
    const { definitions } = await bundleSchemas(new URL("../../../schemas/", import.meta.url));
    const fields = Object.entries(definitions).flatMap(([name, { properties }]) =>
      Object.entries((properties ?? {}) as Record<string, Schema>)
        .filter(([, { $ref }]) => /\/(HeaderMap|ParameterMap|ResponseMap|UserData)$/.test(String($ref)))
        .map(([field]) => `${name}.${field}`),
    );
    assert.deepEqual(fields.sort(), Object.keys(rows).sort());
  });

  for (const [field, [at, around = {}]] of Object.entries(rows)) {
    test(`${field} reports the fault`, () => {
      const faults = faultsOf(changed({ ...structuredClone(around), [at]: { attr: "missing" } }, minimal));
      assert.equal(faults.length, 1);
      assert.match(faults[0] ?? "", new RegExp(`^${at === "/api/query/a" ? "/api/" : at}.*missing`));
    });
  }
});

describe("an expression is evaluated at each place", () => {
  for (const [field, [at, around = {}]] of Object.entries(rows)) {
    test(`${field} is evaluated`, async () => {
      await using api = await startApi(({ params }) => ({ items: [{ id: 1 }], t: params.has("c") ? null : "next" }));
      const base = { api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "users" }], present: "evaluated" } };
      const configuration = changed({ ...structuredClone(around), [at]: { attr: "present" } }, base);
      const { output, result } = await runHere(configuration);
      assert.equal(result.exitCode, 0);
      const sent = api.log.map(({ target, headers, body }) => [target, headers["x-a"], body].join(" "));
      assert.match([...sent, output].join("\n"), /evaluated/);
      assert.doesNotMatch([...sent, output].join("\n"), /present/);
    });
  }
});

function withOauth(type: string): Record<string, unknown> {
  return { "/api/authentication": { type }, "/authorization": { oauth_api: { credentials } } };
}

function withScrollRequest(): Record<string, unknown> {
  const pagination = { method: "response.param", responseParam: "t", queryParam: "c", scrollRequest: {} };
  return { "/api/pagination": pagination };
}
