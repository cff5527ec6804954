import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Lifetime, lifetimeOf, lifetimeText } from "../../src/authentication/lifetime.ts";
import type { LoginAnswer } from "../../src/authentication/login-answer.ts";
import { SpileError } from "../../src/core/errors.ts";
import { parseValue, type Value, type ValueObject } from "../../src/core/values/value.ts";
import type { Expiry } from "../../src/generated/configuration.ts";

const answerWith = (document: Value): LoginAnswer => ({ document: document as ValueObject, header: () => undefined });
const now = Date.UTC(2017, 1, 20, 12, 34, 45, 500);
const inAnHour = Date.UTC(2017, 1, 20, 13, 34, 45);
const run: Lifetime = { kind: "run" };
const each: Lifetime = { kind: "request" };

describe("expires in the configuration", () => {
  const rows: [expires: unknown, lifetime: Lifetime][] = [
    [undefined, run],
    [3600, { kind: "seconds", seconds: 3600 }],
    ["3600", { kind: "seconds", seconds: 3600 }],
    [0, each],
    ["0", each],
    // An example of Generic Extractor has this value.
    ["-1", each],
  ];
  for (const [expires, lifetime] of rows) {
    it(`expires ${JSON.stringify(expires)} means that ${lifetimeText(lifetime)}`, () => {
      assert.deepEqual(lifetimeOf(expires as Expiry, answerWith({}), now), lifetime);
    });
  }
});

describe("expires in the answer", () => {
  const until: Lifetime = { kind: "until", time: inAnHour };
  const seconds = inAnHour / 1000;
  const rows: [value: string, relative: boolean, lifetime: Lifetime][] = [
    [`${seconds}`, false, until],
    [`"${seconds}"`, false, until],
    [`" ${seconds} "`, false, until],
    [`${inAnHour}`, false, until],
    [`"${inAnHour}"`, false, until],
    [`${seconds}.25`, false, { kind: "until", time: inAnHour + 250 }],
    [`"2017-02-20 13:34:45"`, false, until],
    [`"2017-02-20T13:34:45Z"`, false, until],
    [`"2017-02-20T14:34:45+01:00"`, false, until],
    [`"Mon, 20 Feb 2017 13:34:45 GMT"`, false, until],
    [`"2017-02-20T13:34:45.678Z"`, false, until],
    [`"20170220T133445Z"`, false, until],
    [`"Mon, 20 Feb 2017 13:34:45"`, false, until],
    [`"Mon, 20 Feb 2017 14:34:45 +0100"`, false, until],
    [`"20.02.2017 13:34:45"`, false, until],
    [`"2017-02-20 14:34:45 Europe/Prague"`, false, until],
    [`"2017-02-21"`, false, { kind: "until", time: Date.UTC(2017, 1, 21) }],
    [`"+1 hour"`, false, until],
    [`"2017-02-20 12:34:45"`, false, { kind: "until", time: Date.UTC(2017, 1, 20, 12, 34, 45) }],
    ["9999999999999999", false, { kind: "until", time: 8.64e15 }],
    [`"9999999999999999"`, false, { kind: "until", time: 8.64e15 }],
    ["null", false, run],
    ["1799", true, { kind: "seconds", seconds: 1799 }],
    [`"1799"`, true, { kind: "seconds", seconds: 1799 }],
    ["1.5", true, { kind: "seconds", seconds: 1.5 }],
    ["3600.00", true, { kind: "seconds", seconds: 3600 }],
    ["0", true, each],
    [`"0"`, true, each],
    ["null", true, run],
  ];
  for (const [value, relative, lifetime] of rows) {
    it(`${value}${relative ? ", relative," : ""} means that ${lifetimeText(lifetime)}`, () => {
      const answer = parseValue(`{"auth":[{"expires":${value}}]}`);
      assert.deepEqual(lifetimeOf({ response: "auth.0.expires", relative }, answerWith(answer), now), lifetime);
    });
  }

  it("a missing value means no expiry, and relative is false by default", () => {
    assert.deepEqual(lifetimeOf({ response: "a.b" }, answerWith({ a: 1 }), now), run);
    assert.deepEqual(lifetimeOf({ response: "a" }, answerWith({ a: seconds }), now), until);
  });

  const faults: [value: string, relative: boolean, message: RegExp][] = [
    ["-1", true, /-1 at "expires", a negative expiry/],
    ["-1", false, /a negative expiry/],
    [`"-5"`, true, /a negative expiry/],
    ["3600", false, /3600 at "expires", an expiry in the past/],
    [`"2017-02-20 12:34:44"`, false, /2017-02-20 12:34:44 at "expires", an expiry in the past/],
    [`"2017-02-20 13:34:45"`, true, /which is not a number; if it is a time/],
    [`"s3cret-token"`, false, /something at "expires", which is neither a Unix time nor a date-time/],
    [`"s3cret-token"`, true, /which is not a number; if it is a time/],
    [`"2017-13-30 12:00:00"`, false, /neither a Unix time nor a date-time/],
    [`""`, false, /neither a Unix time nor a date-time/],
    ["true", false, /neither a Unix time nor a date-time/],
    ["{}", false, /neither a Unix time nor a date-time/],
    ["[]", true, /which is not a number; if it is a time/],
    ["1e400", false, /neither a Unix time nor a date-time/],
  ];
  for (const [value, relative, message] of faults) {
    it(`${value}${relative ? ", relative," : ""} is an authentication error that says what is wrong`, () => {
      assert.throws(
        () => lifetimeOf({ response: "expires", relative }, answerWith(parseValue(`{"expires":${value}}`)), now),
        (error) => {
          assert.ok(error instanceof SpileError);
          assert.equal(error.kind, "authentication");
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /s3cret/);
          return true;
        },
      );
    });
  }
});

it("a relative lifetime may be in milliseconds", () => {
  const expires = { response: "in", relative: true, unit: "milliseconds" } as const;
  assert.deepEqual(lifetimeOf(expires, answerWith({ in: 1500 }), 0), { kind: "seconds", seconds: 1.5 });
  assert.deepEqual(lifetimeOf(expires, answerWith({ in: 0 }), 0), { kind: "request" });
});
