import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LosslessNumber } from "lossless-json";
import { changed, faultsOf, oauth, read, sound, warningsOf } from "./reading.ts";

const job = "/config/jobs/0";
const minimal = { api: { baseUrl: "https://api.example.com" }, config: { jobs: [{ endpoint: "users" }] } };
const paged = (pagination: object) => changed({ "/api/pagination": pagination }, minimal);

describe("accepted forms", () => {
  const accepted: readonly (readonly [name: string, document: unknown])[] = [
    [
      "under parameters, beside Keboola's own sections",
      { parameters: minimal, storage: {}, image_parameters: {}, processors: {} },
    ],
    ["jobs as an object", changed({ "/config/jobs": { a: { endpoint: "a" }, b: { endpoint: "b" } } }, minimal)],
    ["names beginning with two underscores", changed({ "/api/__NAME": 1, [`${job}/__NOTE`]: "x" }, minimal)],
    ["any setting", changed({ "/config/anything": { at: ["all"] }, "/config/compatLevel": 2 }, minimal)],
    ["data field as null", changed({ [`${job}/dataField`]: null }, minimal)],
    ["data field as object", changed({ [`${job}/dataField`]: { path: "a.b|c", delimiter: "|" } }, minimal)],
    ["empty lists where PHP means objects", changed({ [`${job}/params`]: [], [`${job}/headers`]: [] }, minimal)],
    [
      "pagenum",
      paged({ method: "pagenum", firstPage: 0, pageParam: "p", limit: "50", firstPageParams: false, concurrency: 4 }),
    ],
    [
      "response.url",
      paged({
        method: "response.url",
        urlKey: "@odata.nextLink",
        delimiter: "|",
        includeParams: true,
        paramIsQuery: true,
      }),
    ],
    [
      "response.param",
      paged({
        method: "response.param",
        responseParam: "next",
        queryParam: "c",
        includeParams: true,
        scrollRequest: { endpoint: "r", method: "get", params: { a: 1 } },
      }),
    ],
    ["cursor", paged({ method: "cursor", idKey: "id", param: "since", increment: -1, reverse: true })],
    [
      "multiple",
      paged({ method: "multiple", default: "a", scrollers: { a: { method: "offset", limit: 2 }, none: {} } }),
    ],
    [
      "stop rules",
      paged({
        method: "offset",
        limit: 2,
        nextPageFlag: { field: "more", stopOn: false, ifNotSet: false },
        forceStop: { pages: "3", time: 0.5, volume: 1 },
        limitStop: { field: "meta.total" },
        evidence: false,
        probeEnd: true,
      }),
    ],
    [
      "basic",
      changed({ "/api/authentication": { type: "basic" }, "/config/#username": "u", "/config/password": "p" }, minimal),
    ],
    [
      "query",
      changed(
        {
          "/api/authentication": {
            type: "query",
            query: { k: { attr: "#k" }, p: { request: "path" }, q: { query: "a" } },
          },
          "/config/#k": "v",
        },
        minimal,
      ),
    ],
    ["oauth10", oauth],
    [
      "oauth20",
      changed(
        {
          "/api/authentication": {
            type: "oauth20",
            format: "json",
            headers: { A: { function: "concat", args: ["Bearer ", { authorization: "data.oauth_token" }] } },
          },
        },
        oauth,
      ),
    ],
    [
      "oauth20.login",
      changed(
        {
          "/api/authentication": {
            type: "oauth20.login",
            loginRequest: { endpoint: "t", params: { r: { user: "oauth_token" }, c: { consumer: "client_id" } } },
          },
        },
        oauth,
      ),
    ],
    [
      "AWS signature",
      changed(
        {
          "/aws": {
            signature: { credentials: { accessKeyId: "a", "#secretKey": "s3cr3t", serviceName: "s", regionName: "r" } },
          },
        },
        minimal,
      ),
    ],
    [
      "HTTP options",
      changed(
        {
          "/api/http": {
            requiredHeaders: ["X-K"],
            ignoreErrors: [404, "405"],
            connectTimeout: 1.5,
            requestTimeout: "0",
            idleTimeout: 60,
            rateLimit: "300/m",
          },
          "/config/http": { headers: { "x-k": 5 } },
        },
        minimal,
      ),
    ],
    [
      "retries",
      changed(
        {
          "/api/retryConfig": {
            maxRetries: 3,
            http: { codes: [500, 202], retryHeader: "X-Wait" },
            curl: { codes: [28] },
          },
        },
        minimal,
      ),
    ],
    [
      "certificates",
      changed(
        {
          "/api/caCertificate": "-----BEGIN",
          "/api/#clientCertificate": "-----BEGIN",
          "/api/allowedOrigins": ["https://files.example.com"],
        },
        minimal,
      ),
    ],
    [
      "children",
      changed(
        {
          [`${job}/children`]: [
            {
              endpoint: "u/{1:id}/{x}",
              placeholders: { id: "id", x: { path: "a.b", function: "urlencode", args: [{ placeholder: "value" }] } },
              recursionFilter: "id>20&type!=a",
              responseFilter: ["tags", "a[].b"],
              responseFilterDelimiter: "/",
            },
          ],
        },
        minimal,
      ),
    ],
    [
      "user data as a scalar",
      changed({ "/config/userData": "x", [`${job}/userData`]: { a: { time: "currentStart" } } }, minimal),
    ],
    [
      "mappings",
      changed(
        {
          "/config/mappings": {
            users: {
              id: { mapping: { destination: "id", primaryKey: true } },
              tags: {
                type: "table",
                destination: "tags",
                tableMapping: { ".": { type: "column", mapping: { destination: "tag" } } },
                parentKey: { destination: "user" },
              },
              kids: { type: "table", destination: "users", parentKey: { disable: true } },
              raw: { mapping: { destination: "raw" }, forceType: true },
            },
          },
        },
        minimal,
      ),
    ],
  ];
  for (const [name, document] of accepted) {
    it(name, () => {
      assert.deepEqual(faultsOf(document, { strict: true }), []);
      assert.deepEqual(warningsOf(document), []);
    });
  }
});

describe("values in one form", () => {
  const one = (changes: Record<string, unknown>) => read(changed(changes, minimal)).configuration;

  it("digits become numbers, methods become capitals, and an object of jobs becomes a list", () => {
    const { api, config } = one({
      "/api/pagination": { method: "offset", limit: "0100", forceStop: { pages: "3" } },
      "/api/http": { ignoreErrors: ["404"], connectTimeout: "1.5", rateLimit: "300/m" },
      "/config/jobs": { a: { endpoint: "a", method: "form", params: [] } },
    });
    assert.deepEqual(api.pagination, { method: "offset", limit: 100, forceStop: { pages: 3 } });
    assert.deepEqual(api.http, { ignoreErrors: [404], connectTimeout: 1.5, rateLimit: 5 });
    assert.deepEqual(config.jobs, [{ endpoint: "a", method: "FORM", params: {} }]);
  });

  it("numbers keep their digits where any JSON is allowed, and become JavaScript numbers in fixed fields", () => {
    const text =
      '{"api":{"baseUrl":"http://a/","pagination":{"method":"offset","limit":10.0}},"config":{"id":13911860366432393,"jobs":[{"endpoint":"a","params":{"count":1.10}}]}}';
    const { configuration, iterations } = read(text);
    assert.equal(configuration.api.pagination?.method === "offset" && configuration.api.pagination.limit, 10);
    assert.deepEqual(configuration.config.jobs[0]?.params, { count: new LosslessNumber("1.10") });
    assert.deepEqual(iterations[0]?.settings.get("id"), new LosslessNumber("13911860366432393"));
  });

  it("an empty authentication, pagination or scroller counts as absent", () => {
    const { api } = one({ "/api/authentication": {}, "/api/pagination": [] });
    assert.deepEqual(api, { baseUrl: "https://api.example.com" });
    const multiple = one({ "/api/pagination": { method: "multiple", scrollers: { plain: {} } } }).api.pagination;
    assert.deepEqual(multiple, { method: "multiple", scrollers: { plain: { method: "none" } } });
  });

  it("fields at old places of Generic Extractor are read", () => {
    for (const [own, used] of [
      [{}, { k: 1 }],
      [{ query: {} }, { k: 1 }],
      [{ query: { own: 2 } }, { own: 2 }],
    ]) {
      const authentication = { type: "url.query", ...own };
      const found = one({ "/api/authentication": authentication, "/api/query": { k: 1 } }).api.authentication;
      assert.deepEqual(found, { type: "url.query", query: used });
    }
    assert.deepEqual(
      one({ "/api/retryConfig": { headerName: "X", httpCodes: [500], http: { maxRetries: 2 } } }).api.retryConfig,
      { maxRetries: 2, http: { codes: [500], retryHeader: "X" } },
    );
    assert.deepEqual(one({ "/api/baseUrl": '{"function":"concat","args":["http://","a/"]}' }).api.baseUrl, {
      function: "concat",
      args: ["http://", "a/"],
    });
    const credentials = { accessKeyId: "a", "#secretKey": "s3cr3t", serviceName: "s", regionName: "r" };
    const aws = { signature: { credentials } };
    assert.deepEqual(one({ "/aws": aws }).api.authentication, { type: "aws.signature", credentials });
    const authentication = { type: "aws.signature", credentials: { ...credentials, accessKeyId: "b" } };
    assert.deepEqual(one({ "/aws": aws, "/api/authentication": authentication }).api.authentication, authentication);
  });

  it("expires may be an integer or its digits", () => {
    for (const [given, kept] of [
      [3600, 3600],
      ["3600", 3600],
      [0, 0],
      ["0", 0],
      ["-1", -1],
      [-1, -1],
    ]) {
      const { authentication } = read(changed({ "/api/authentication/expires": given })).configuration.api;
      assert.equal(authentication?.type === "login" && authentication.expires, kept, String(given));
    }
  });

  it("a key named __proto__ is a key like any other", () => {
    const text = JSON.stringify(sound).replace('"status":"active"', '"__proto__":{"limit":5},"status":"active"');
    const params = read(text).configuration.config.jobs[0]?.params ?? {};
    assert.deepEqual(Object.keys(params), ["__proto__", "status"]);
    assert.equal(Object.getPrototypeOf(params), Object.prototype);
  });
});
