import assert from "node:assert/strict";
import { test } from "node:test";
import { durationFaults, durationOf } from "../../src/config/duration.ts";
import { parseValue } from "../../src/core/values/value.ts";

test("a duration is a number of seconds, or has short or long units", () => {
  const rows: readonly (readonly [json: string, milliseconds: number | undefined])[] = [
    ["90", 90_000],
    ["1.50", 1500],
    ["0", 0],
    ['"90"', 90_000],
    ['"90s"', 90_000],
    ['"15m"', 900_000],
    ['"500ms"', 500],
    ['"2d"', 172_800_000],
    ['"1 hour"', 3_600_000],
    ['"1.5 hours"', 5_400_000],
    ['"10 minutes"', 600_000],
    ['"1 second"', 1000],
    ['"250 milliseconds"', 250],
    ['"2 weeks"', 1_209_600_000],
    ['"1day"', 86_400_000],
    ['"1 month"', undefined],
    ['"15 m"', undefined],
    ['"-5"', undefined],
    ['"1 Hour"', undefined],
    ['""', undefined],
    ['"soon"', undefined],
    ["1e400", undefined],
    ["true", undefined],
  ];
  for (const [json, milliseconds] of rows) assert.equal(durationOf(parseValue(json)), milliseconds, json);
});

test("each invalid value is reported with its place", () => {
  const message = 'must be seconds, or a time such as "90s", "15m" or "1 hour", not "soon"';
  assert.deepEqual(durationFaults("soon", "/a/every"), [{ pointer: "/a/every", message }]);
  assert.deepEqual(durationFaults("15m", "/a/every"), []);
  assert.deepEqual(durationFaults(undefined, "/a/every"), []);
});
