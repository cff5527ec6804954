import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { read } from "../../config/reading.ts";
import { startApi } from "../../helpers/api.ts";
import { spileHere } from "../../helpers/command.ts";

interface Given {
  readonly job?: object;
  readonly http?: object;
  readonly retryConfig?: object;
  readonly setting?: string;
}

const query = "{ users { id } }";
/** Parsed from JSON, because linters mistake a literal with `then` for a promise. */
const ruleOf = (when: object, meaning: string): object =>
  JSON.parse(JSON.stringify({ when, meaning }).replace('"meaning"', '"then"'));
const rule = ruleOf({ path: "errors" }, "fail");
const ofErrors = (status: unknown) => [ruleOf({ status, path: "errors" }, "fail")];

function hints({ job, http, retryConfig, setting = query }: Given): string[] {
  const api = { baseUrl: "https://api.example.com/", http: http ?? {}, retryConfig: retryConfig ?? {} };
  const document = { api, config: { setting, jobs: [{ endpoint: "graphql", ...job }] } };
  return read(document).hints.map(({ pointer }) => pointer);
}

const post = { method: "POST", params: { query } };
const graphql = "/config/jobs/0/params/query";
const when = (index: number) => `/api/http/responses/${index}/when`;
const rows: readonly (readonly [title: string, given: Given, ...pointers: string[]])[] = [
  ["a GraphQL query without a rule for its errors", { job: post }, graphql],
  ["a GraphQL query in a setting", { job: { method: "POST", params: { query: { attr: "setting" } } } }, graphql],
  ["a GraphQL query in the default options", { http: { defaultOptions: post } }, graphql],
  [
    "a GraphQL query in a child job",
    { job: { children: [{ endpoint: "x", ...post }] } },
    "/config/jobs/0/children/0/params/query",
  ],
  [
    "a rule about something other than errors",
    { job: post, http: { responses: [ruleOf({ status: 404 }, "empty")] } },
    graphql,
  ],
  ["a rule for errors", { job: post, http: { responses: ofErrors(200) } }],
  [
    "a rule for one of the errors",
    { job: post, http: { responses: [ruleOf({ status: 200, path: "errors.0.code" }, "retry")] } },
  ],
  ["a search without GraphQL", { job: { method: "POST", params: { query: "red shoes" } } }],
  ["a search of Elasticsearch", { job: { method: "POST", params: { query: { match_all: {} } } } }],
  ["a GraphQL query with GET", { job: { params: { query } } }],
  ["a rule for every status, which would end a job at a 429", { http: { responses: [rule] } }, when(0)],
  [
    "a rule for a header that may come with a 429",
    { http: { responses: [ruleOf({ header: "X-Error" }, "empty")] } },
    when(0),
  ],
  ["a rule that retries", { http: { responses: [ruleOf({ path: "errors" }, "retry")] } }],
  ["a rule that names its statuses", { http: { responses: ofErrors([200, 400]) } }],
  [
    "a rule for every status after a rule that retries 429 and 503",
    { http: { responses: [ruleOf({ status: [429, 503] }, "retry"), rule] } },
  ],
  [
    "a rule for every status after a rule that retries only 429",
    { http: { responses: [ruleOf({ status: 429 }, "retry"), rule] } },
    when(1),
  ],
  [
    "a rule for every status after a rule for a part of the answers with 429 and 503",
    { http: { responses: [ruleOf({ status: [429, 503], path: "a" }, "retry"), rule] } },
    when(1),
  ],
  ["a rule for every status without retries", { http: { responses: [rule] }, retryConfig: { maxRetries: 0 } }],
  [
    "a rule for every status if other statuses are retried",
    { http: { responses: [rule] }, retryConfig: { http: { codes: [500] } } },
  ],
];

describe("hints about a configuration", () => {
  for (const [title, given, ...pointers] of rows) {
    test(`${title}: ${pointers.length === 0 ? "no hint" : `a hint at ${pointers.join()}`}`, () => {
      assert.deepEqual(hints(given), pointers);
    });
  }

  test("check prints hints on stderr or as JSON, and a run does not print them", async () => {
    await using api = await startApi(() => [{ id: 1 }]);
    const stdin = JSON.stringify({
      api: { baseUrl: api.url, http: { responses: [{ ...rule, when: { header: "X-Error" } }] } },
      config: { jobs: [{ endpoint: "graphql", ...post }] },
    });
    const messages =
      'warning /api/http/responses/0/when: also matches a 429 or 503, which is then not retried; name the statuses: "status": 200\n' +
      'warning /config/jobs/0/params/query: a GraphQL API reports its errors with status 200: a rule {"when": {"status": 200, "path": "errors"}, "then": "fail", "message": "errors.0.message"} in /api/http/responses makes them failures\n';
    const checked = await spileHere(["check", "-"], { stdin });
    assert.deepEqual([checked.code, checked.stderr], [0, messages]);
    const asJson = await spileHere(["check", "--format", "json", "-"], { stdin });
    assert.deepEqual(
      asJson.stdout
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { pointer: string }).pointer),
      [when(0), graphql],
    );
    const run = await spileHere(["-"], { stdin });
    assert.doesNotMatch(run.stderr, /warning/);
  });
});
