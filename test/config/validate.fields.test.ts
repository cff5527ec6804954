import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changed, faultsOf, sound, warningsOf } from "./reading.ts";

const login = "/api/authentication";
const offset = "/api/pagination";
const job = "/config/jobs/0";

/** Wrong values of fields, and the one line that each causes. */
const wrong: readonly (readonly [at: string, value: unknown, line: string])[] = [
  ["/api", undefined, '/: "api" is missing: an object'],
  ["/api", [], "/api: must be an object, not an empty list"],
  ["/config", undefined, '/: "config" is missing: an object'],
  ["/config", "jobs", '/config: must be an object, not "jobs"'],
  ["/api/baseUrl", undefined, '/api: "baseUrl" is missing: an http or https address, or an expression giving one'],
  ["/api/baseUrl", 5, "/api/baseUrl: must be an http or https address, or an expression giving one, not 5"],
  ["/api/baseUrl", "example.com", '/api/baseUrl: must be an address with http or https, not "example.com"'],
  [
    "/api/baseUrl",
    "ftp://example.com/",
    '/api/baseUrl: must be an address with http or https, not "ftp://example.com/"',
  ],
  [
    "/api/authentication",
    "login",
    '/api/authentication: must be an object with "type" "login", "basic", "query", "url.query", "oauth10", "oauth20", "oauth20.login" or "aws.signature", not "login"',
  ],
  [
    `${login}/type`,
    undefined,
    '/api/authentication: "type" is missing: "login", "basic", "query", "url.query", "oauth10", "oauth20", "oauth20.login" or "aws.signature"',
  ],
  [
    `${login}/type`,
    "logn",
    '/api/authentication/type: must be "login", "basic", "query", "url.query", "oauth10", "oauth20", "oauth20.login" or "aws.signature", not "logn", did you mean "login"?',
  ],
  [
    `${login}/type`,
    5,
    '/api/authentication/type: must be "login", "basic", "query", "url.query", "oauth10", "oauth20", "oauth20.login" or "aws.signature", not 5',
  ],
  [`${login}/loginRequest`, undefined, '/api/authentication: "loginRequest" is missing: an object'],
  [`${login}/loginRequest`, "login", '/api/authentication/loginRequest: must be an object, not "login"'],
  [
    `${login}/loginRequest/endpoint`,
    undefined,
    '/api/authentication/loginRequest: "endpoint" is missing: an address or a path, or an expression',
  ],
  [
    `${login}/loginRequest/endpoint`,
    "",
    '/api/authentication/loginRequest/endpoint: must be an address or a path, or an expression, not ""',
  ],
  [
    `${login}/loginRequest/endpoint`,
    "ftp://x/",
    '/api/authentication/loginRequest/endpoint: must be a path or an address with http or https, not "ftp://x/"',
  ],
  [
    `${login}/loginRequest/params`,
    "a=b",
    '/api/authentication/loginRequest/params: must be an object of parameter names and values, not "a=b"',
  ],
  [
    `${login}/loginRequest/method`,
    "PUT",
    '/api/authentication/loginRequest/method: must be "GET", "POST" or "FORM", not "PUT"',
  ],
  [
    `${login}/loginRequest/headers`,
    ["A: b"],
    "/api/authentication/loginRequest/headers: must be an object of header names and values, not a list",
  ],
  [`${login}/format`, "xml", '/api/authentication/format: must be "json" or "text", not "xml"'],
  [`${login}/apiRequest`, true, "/api/authentication/apiRequest: must be an object, not true"],
  [
    `${login}/apiRequest/headers`,
    "X",
    '/api/authentication/apiRequest/headers: must be an object of names and paths or expressions, not "X"',
  ],
  [
    `${login}/apiRequest/query`,
    1,
    "/api/authentication/apiRequest/query: must be an object of names and paths or expressions, not 1",
  ],
  ...[2.5, "2.5", "1e2", " 10 ", true, []].map(
    (value) =>
      [
        `${login}/expires`,
        value,
        `/api/authentication/expires: must be an integer of at least 0, or an object with \`response\` and \`relative\`, not ${Array.isArray(value) ? "an empty list" : JSON.stringify(value)}`,
      ] as const,
  ),
  [
    `${login}/expires/response`,
    undefined,
    '/api/authentication/expires: "response" is missing: a path in the login response',
  ],
  [`${login}/expires/response`, 5, "/api/authentication/expires/response: must be a path in the login response, not 5"],
  [`${login}/expires/relative`, ["yes"], "/api/authentication/expires/relative: must be true or false, not a list"],
  [
    offset,
    "offset",
    '/api/pagination: must be an object with "method" "offset", "pagenum", "response.url", "response.param", "cursor", "link", "zendesk.response.url", "none" or "multiple", not "offset"',
  ],
  [
    `${offset}/method`,
    undefined,
    '/api/pagination: "method" is missing: "offset", "pagenum", "response.url", "response.param", "cursor", "link", "zendesk.response.url", "none" or "multiple"',
  ],
  [
    `${offset}/method`,
    "ofset",
    '/api/pagination/method: must be "offset", "pagenum", "response.url", "response.param", "cursor", "link", "zendesk.response.url", "none" or "multiple", not "ofset", did you mean "offset"?',
  ],
  [`${offset}/limit`, undefined, '/api/pagination: "limit" is missing: an integer of at least 1, or "unknown"'],
  ...["abc", {}, [], true, null, 0, "0", -5, "1e2", "2.5", 2.5, " 10 ", 1e21, "-1", ""].map(
    (value) =>
      [
        `${offset}/limit`,
        value,
        `/api/pagination/limit: must be an integer of at least 1, or "unknown", not ${excerptOf(value)}`,
      ] as const,
  ),
  [
    `${offset}/limitParam`,
    5,
    '/api/pagination/limitParam: must be the name of a parameter, an object with "path", "query", "endpoint" or "header", or false, not 5',
  ],
  [`${offset}/firstPageParams`, {}, "/api/pagination/firstPageParams: must be true or false, not an empty object"],
  [
    "/api/http/defaultOptions/headers",
    "X",
    '/api/http/defaultOptions/headers: must be an object of header names and values, not "X"',
  ],
  [
    "/api/http/defaultOptions/params",
    5,
    "/api/http/defaultOptions/params: must be an object of parameter names and values, not 5",
  ],
  ["/config/jobs", undefined, '/config: "jobs" is missing: a list of at least one job'],
  ["/config/jobs", [], "/config/jobs: must be a list of at least one job, not an empty list"],
  ["/config/jobs", "users", '/config/jobs: must be a list of at least one job, not "users"'],
  [job, "users", '/config/jobs/0: must be an object, not "users"'],
  ["/config/debug", [1], "/config/debug: must be true or false, not a list"],
  [
    `${job}/endpoint`,
    undefined,
    '/config/jobs/0: "endpoint" is missing: an address or a path, an expression, or a list of these',
  ],
  [
    `${job}/endpoint`,
    5,
    "/config/jobs/0/endpoint: must be an address or a path, an expression, or a list of these, not 5",
  ],
  [`${job}/method`, "DELETE", '/config/jobs/0/method: must be "GET", "POST" or "FORM", not "DELETE"'],
  [`${job}/params`, "x=1", '/config/jobs/0/params: must be an object of parameter names and values, not "x=1"'],
  [
    `${job}/dataField`,
    5,
    "/config/jobs/0/dataField: must be a path, or an object with `path`, `delimiter`, `values`, `key` and `each`, not 5",
  ],
  [`${job}/dataField`, { delimiter: "|" }, '/config/jobs/0/dataField: "path" is missing: a path'],
  [`${job}/dataField`, { path: 1 }, "/config/jobs/0/dataField/path: must be a path, not 1"],
  [`${job}/dataType`, 5, "/config/jobs/0/dataType: must be a string, not 5"],
  [
    `${job}/params/count`,
    "abc",
    '/config/jobs/0/params/count: as the page size of the job it must be an integer of at least 1, not "abc"',
  ],
  [
    `${job}/params/count`,
    0,
    "/config/jobs/0/params/count: as the page size of the job it must be an integer of at least 1, not 0",
  ],
  [
    "/api/pagination",
    { method: "multiple" },
    '/api/pagination: "scrollers" is missing: an object of at least one scroller',
  ],
  [
    "/api/pagination",
    { method: "multiple", scrollers: {} },
    "/api/pagination/scrollers: must be an object of at least one scroller, not an empty object",
  ],
  [
    "/api/pagination",
    { method: "multiple", scrollers: { a: { method: "offset" } } },
    '/api/pagination/scrollers/a: "limit" is missing: an integer of at least 1, or "unknown"',
  ],
  [
    "/api/pagination",
    { method: "multiple", scrollers: { a: { method: "multiple" } } },
    '/api/pagination/scrollers/a/method: must be "offset", "pagenum", "response.url", "response.param", "cursor", "link", "zendesk.response.url" or "none", not "multiple"',
  ],
  [
    "/api/pagination",
    { method: "multiple", scrollers: { a: {} }, default: "b" },
    '/api/pagination/default: unknown scroller "b"; the scrollers are "a"',
  ],
];

function excerptOf(value: unknown): string {
  if (Array.isArray(value)) return "an empty list";
  if (typeof value === "object" && value !== null) return "an empty object";
  return JSON.stringify(value);
}

describe("fields of the configuration", () => {
  it("a configuration with right values is accepted without a message", () => {
    assert.deepEqual(faultsOf(sound), []);
    assert.deepEqual(warningsOf(sound), []);
  });
  for (const [at, value, line] of wrong) {
    it(`${at} = ${JSON.stringify(value)} is a fault`, () => {
      assert.deepEqual(faultsOf(changed({ [at]: value })), [line]);
    });
  }
  it("the first offset of a job is checked only with offsetFromJob", () => {
    const params = { [`${job}/params/skip`]: "-1" };
    assert.deepEqual(faultsOf(changed(params)), []);
    assert.deepEqual(faultsOf(changed({ ...params, [`${offset}/offsetFromJob`]: true })), [
      '/config/jobs/0/params/skip: as the first offset of the job it must be an integer of at least 0, not "-1"',
    ]);
  });
  it("a misspelt `jobs` is distinguished from a missing one", () => {
    assert.deepEqual(faultsOf(changed({ "/config/jobs": undefined, "/config/job": [] })), [
      '/config: "jobs" is missing: a list of at least one job (found "job": did you mean "jobs"?)',
    ]);
  });
  it("a number beyond the range of doubles is a fault in a fixed field, and kept in plain data", () => {
    const text = JSON.stringify(sound);
    assert.deepEqual(faultsOf(text.replace('"limit":100', '"limit":1e400')), [
      '/api/pagination/limit: must be an integer of at least 1, or "unknown", not 1e400',
    ]);
    assert.deepEqual(faultsOf(text.replace('"status":"active"', '"status":1e400')), []);
  });
  it("a fault of a scroller is not repeated for the jobs that use it", () => {
    const pagination = { method: "multiple", scrollers: { a: 5, b: {} } };
    assert.deepEqual(faultsOf(changed({ "/api/pagination": pagination, [`${job}/scroller`]: "a" })), [
      '/api/pagination/scrollers/a: must be an object with "method" "offset", "pagenum", "response.url", "response.param", "cursor", "link", "zendesk.response.url" or "none", not 5',
    ]);
  });
  it("all faults are reported at once with their places, also under `parameters`", () => {
    const document = {
      parameters: changed({ [`${offset}/limit`]: 0, [`${job}/params/x`]: { attr: "usrname" }, "/config/jobs/1": {} }),
    };
    const lines = faultsOf(document);
    assert.equal(lines.length, 3);
    assert.equal(lines[0], '/parameters/api/pagination/limit: must be an integer of at least 1, or "unknown", not 0');
    assert.equal(
      lines[1],
      '/parameters/config/jobs/1: "endpoint" is missing: an address or a path, an expression, or a list of these',
    );
    assert.match(
      lines[2] ?? "",
      /^\/parameters\/config\/jobs\/0\/params\/x\/attr: unknown setting "usrname", did you mean "username"\?/,
    );
  });
});
