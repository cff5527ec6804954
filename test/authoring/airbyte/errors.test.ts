import assert from "node:assert/strict";
import { test } from "node:test";
import { errorsOf, type StreamErrors } from "../../../src/authoring/airbyte/errors.ts";
import { createSettings } from "../../../src/authoring/airbyte/settings.ts";
import { responseRule } from "../../../src/authoring/described/streams.ts";

/** Converts an error handler that has one filter with this predicate. */
function errorsFor(predicate: string): StreamErrors {
  const scope = {
    settings: createSettings({}, { prefix: "API", settingValues: new Map() }),
    parameters: {},
    slice: () => undefined,
  };
  return errorsOf({ response_filters: [{ predicate, action: "IGNORE" }] }, scope);
}

test("alternatives within a conjunction become one rule each", () => {
  const { responses } = errorsFor(
    "{{ response.error and (response.error.code == 5 or response.error.kind == 'none') }}",
  );
  assert.deepEqual(
    responses.map(({ when }) => when),
    [
      { path: "error.code", is: 5 },
      { path: "error.kind", is: "none" },
    ],
  );
});

test("a rule with too many combinations of alternatives is left out with a note", () => {
  const { responses, differences } = errorsFor(`{{ ${Array(30).fill("(response.a or response.a)").join(" and ")} }}`);
  assert.deepEqual(responses, []);
  assert.match(differences.join("\n"), /^a response rule is left out/);
});

test("a failure gets a rule at every status of its filter if it is temporary, else only at those that are retried", () => {
  const scope = {
    settings: createSettings({}, { prefix: "API", settingValues: new Map() }),
    parameters: {},
    slice: () => undefined,
  };
  const filter = { action: "FAIL", http_codes: [403, 503] };
  const rulesFor = (failure: string) =>
    errorsOf({ response_filters: [{ ...filter, failure_type: failure }] }, scope).responses;
  assert.deepEqual(rulesFor("transient_error"), [{ ...responseRule({ status: [403, 503] }, "fail"), temporary: true }]);
  assert.deepEqual(rulesFor("system_error"), [responseRule({ status: 503 }, "fail")]);
});

test("a rule that tests two places is left out with a note", () => {
  // In the second condition, "a.b" is the name of one member of the body, so its value is not inside "a".
  for (const condition of ["response.error and headers['X-Gone'] == '1'", "response.a and response['a.b'].c == 1"]) {
    const { responses, differences } = errorsFor(`{{ ${condition} }}`);
    assert.deepEqual(responses, [], condition);
    assert.equal(differences.length, 1, condition);
  }
});
