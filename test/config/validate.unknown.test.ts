import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changed, faultsOf, sound, warningsOf } from "./reading.ts";

const misspelt: readonly (readonly [at: string, message: string])[] = [
  ["/config/jobs/0/dataFeild", '/config/jobs/0: unknown field "dataFeild", did you mean "dataField"?'],
  ["/api/baseURL", '/api: unknown field "baseURL", did you mean "baseUrl"?'],
  ["/api/authentcation", '/api: unknown field "authentcation", did you mean "authentication"?'],
  ["/api/pagination/limitparam", '/api/pagination: unknown field "limitparam", did you mean "limitParam"?'],
  ["/api/authentication/expire", '/api/authentication: unknown field "expire", did you mean "expires"?'],
  [
    "/api/authentication/loginRequest/param",
    '/api/authentication/loginRequest: unknown field "param", did you mean "params"?',
  ],
  [
    "/api/authentication/apiRequest/header",
    '/api/authentication/apiRequest: unknown field "header", did you mean "headers"?',
  ],
  ["/api/http/defaultOption", '/api/http: unknown field "defaultOption", did you mean "defaultOptions"?'],
];

describe("unknown fields", () => {
  for (const [at, line] of misspelt) {
    it(`${at} is reported as a misspelling`, () => {
      const right = /did you mean "(\w+)"/.exec(line)?.[1];
      const correct = at.replace(/[^/]+$/, right ?? "");
      // The misspelt field replaces the right one.
      assert.deepEqual(
        faultsOf(changed({ [correct]: undefined, [at]: { a: 1 } })).filter((fault) => fault.includes("unknown field")),
        [line],
      );
    });
  }

  it("a misspelt field is not also reported as missing", () => {
    assert.deepEqual(faultsOf(changed({ "/api/pagination/limit": undefined, "/api/pagination/limt": 5 })), [
      '/api/pagination: unknown field "limt", did you mean "limit"?',
    ]);
  });

  const foreign = {
    "/api/whatever": 1,
    "/api/http/note": 1,
    "/config/jobs/0/comment": "x",
    "/api/pagination/x": 1,
    "/extra": 1,
  };
  const lines = [
    '/: unknown field "extra"',
    '/api: unknown field "whatever"',
    '/api/http: unknown field "note"',
    '/api/pagination: unknown field "x"',
    '/config/jobs/0: unknown field "comment"',
  ].sort();

  it("unknown fields unlike any known one are warnings, and faults with --strict", () => {
    assert.deepEqual(warningsOf(changed(foreign)).sort(), lines);
    assert.deepEqual(faultsOf(changed(foreign)), []);
    assert.deepEqual(faultsOf(changed(foreign), { strict: true }).sort(), lines);
  });

  it("a correct configuration passes --strict", () => {
    assert.deepEqual(faultsOf(sound, { strict: true }), []);
  });
});
