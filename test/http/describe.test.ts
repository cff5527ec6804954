import assert from "node:assert/strict";
import { test } from "node:test";
import { phpStyle, type QueryStyle } from "../../src/core/requests/request.ts";
import type { HttpOptions } from "../../src/generated/configuration.ts";
import { describeHttp } from "../../src/http/describe.ts";
import { answerPolicy } from "../../src/http/exchange/answer-policy.ts";
import { compileRules } from "../../src/http/exchange/response-rules.ts";

const rows: readonly [http: HttpOptions | undefined, style: Partial<QueryStyle>, words: readonly string[]][] = [
  [undefined, {}, []],
  [{ rateLimit: 5 }, { lists: "repeat" }, ["lists as a=x&a=y", "at most 5 requests a second"]],
  [{ rateLimit: 1000 / 3600 }, { booleans: "words" }, ["true and false in words", "at most 0.278 requests a second"]],
  [{ rateLimit: ["5/s", "1000/h", "2"] }, {}, ["at most 5/s and 1000/h and 2/s"]],
  [
    { rateLimit: { rate: ["5/s"], remaining: "X-Left", reset: "X-Reset" }, cookies: true, lenientParser: true },
    {},
    ["at most 5/s", "heeds X-Left", "keeps all cookies", "reads broken HTTP"],
  ],
  [
    { responses: JSON.parse('[{"when": {"status": 404}, "then": "empty"}, {"when": {"path": "e"}, "then": "fail"}]') },
    {},
    ["2 rules for answers (empty, fail)"],
  ],
  [{ rateLimit: { headers: false } }, {}, ["ignores rate limits that the API announces"]],
];
for (const [http, style, words] of rows) {
  test(`${JSON.stringify([http, style])} is described in words`, () => {
    const policy = answerPolicy({ rules: compileRules(http?.responses ?? [], "", "Retry-After") });
    const described = { style: { ...phpStyle, ...style }, policy, hasJobPolicy: false, rates: undefined };
    assert.deepEqual(describeHttp(http, described), words);
  });
}

test("the rate, the tolerated statuses and the retries of a job are described in words", () => {
  const policy = answerPolicy({ ignoreErrors: [404, 410], retry: { maxRetries: 3 } });
  assert.deepEqual(describeHttp(undefined, { style: phpStyle, policy, hasJobPolicy: true, rates: 0.5 }), [
    "this job at most 0.5 requests a second",
    "tolerates 404, 410",
    "at most 3 retries a page",
  ]);
});
