import assert from "node:assert/strict";
import { test } from "node:test";
import { compareInstants, instantBefore, instantText, readInstant } from "../../../src/core/values/instant.ts";
import { parseValue } from "../../../src/core/values/value.ts";
import { forSeeds } from "../../helpers/seeds.ts";

const read = (json: string): string | undefined => {
  const instant = readInstant(parseValue(json));
  return instant && instantText(instant);
};

test("times with any offset, and Unix seconds and milliseconds, become moments in UTC with the same fraction", () => {
  for (const [json, text] of [
    ['"2024-01-31T08:00:00Z"', "2024-01-31T08:00:00Z"],
    ['"2024-01-31T08:00:00.120+02:00"', "2024-01-31T06:00:00.120Z"],
    ['"2024-01-31 08:00:00-0330"', "2024-01-31T11:30:00Z"],
    ['"2024-01-31 08:00:00 -0330"', "2024-01-31T11:30:00Z"],
    ['"2024-01-31 08:00:00.5 +00:00"', "2024-01-31T08:00:00.5Z"],
    ['"2024-01-31t08:00z"', "2024-01-31T08:00:00Z"],
    ['"2024-01-31T08:00:00,123456789012+00"', "2024-01-31T08:00:00.123456789012Z"],
    ['"2024-01-31T24:00:00Z"', "2024-02-01T00:00:00Z"],
    ['"2016-12-31T23:59:60Z"', "2017-01-01T00:00:00Z"],
    ['"0001-01-01T00:00:00Z"', "0001-01-01T00:00:00Z"],
    ['"9999-12-31T23:59:59Z"', "9999-12-31T23:59:59Z"],
    ["9999999999", "2286-11-20T17:46:39Z"],
    ["10000000000", "1970-04-26T17:46:40.000Z"],
    ["1706688000", "2024-01-31T08:00:00Z"],
    ["1706688000.50", "2024-01-31T08:00:00.50Z"],
    ["1706688000123", "2024-01-31T08:00:00.123Z"],
    ['"1706688000"', "2024-01-31T08:00:00Z"],
    ["-0.5", "1969-12-31T23:59:59.5Z"],
    ["1.7e9", "2023-11-14T22:13:20Z"],
  ] as const) {
    assert.equal(read(json), text, json);
  }
});

test("a text without an offset, or with an impossible date or time, is not a moment", () => {
  const wrong = [
    "2024-01-31",
    "2024-01-31T08:00:00",
    "2024-02-30T00:00:00Z",
    "2024-01-01T25:00:00Z",
    "2024-01-01T00:60Z",
  ];
  const texts = [
    ...wrong,
    "",
    "soon",
    "1.2.3",
    "2024-01-01T00:00:00+99:00",
    "2024-01-01T00:00:00+24:00",
    "2024-01-01T00:00:00+01:60",
  ].map((text) => JSON.stringify(text));
  for (const json of [...texts, "null", "true", "[]", "{}", "1e30", "1706688000123456", "1e-99999"]) {
    assert.equal(read(json), undefined, json);
  }
});

test("times are compared as moments, with any number of digits", () => {
  const order = (a: string, b: string): number => {
    const [x, y] = [a, b].map((text) => readInstant(text));
    assert.ok(x && y);
    return Math.sign(compareInstants(x, y));
  };
  assert.equal(order("2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00"), 0);
  assert.equal(order("2024-01-01T00:00:00.1Z", "2024-01-01T00:00:00.100Z"), 0);
  assert.equal(order("2024-01-01T00:00:00.12Z", "2024-01-01T00:00:00.2Z"), -1);
  assert.equal(order("2024-01-01T00:00:00.1Z", "2024-01-01T00:00:00Z"), 1);
});

test("lookback is exact, with and without fractions", async () => {
  const before = (text: string, ms: number): string => {
    const instant = readInstant(text);
    assert.ok(instant);
    return instantText(instantBefore(instant, ms));
  };
  assert.equal(before("2024-03-01T00:00:00Z", 3_600_000), "2024-02-29T23:00:00Z");
  assert.equal(before("2024-03-01T00:00:00.25Z", 500), "2024-02-29T23:59:59.750Z");
  assert.equal(before("2024-03-01T00:00:00.123456Z", 1000), "2024-02-29T23:59:59.123456Z");
  assert.equal(before("0000-01-01T00:00:00Z", 1000), "0000-01-01T00:00:00Z");
  await forSeeds(100, (random) => {
    const ms = random.between(-2_000_000_000_000, 4_000_000_000_000);
    const back = random.below(10_000_000_000);
    const text = new Date(ms).toISOString();
    assert.equal(
      before(text, back),
      new Date(ms - back).toISOString().replace(".000Z", back % 1000 === 0 && ms % 1000 !== 0 ? "Z" : ".000Z"),
    );
  });
});
