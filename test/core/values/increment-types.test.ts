import assert from "node:assert/strict";
import { test } from "node:test";
import { incrementTypes } from "../../../src/core/values/increment-types.ts";
import { parseValue, valueText } from "../../../src/core/values/value.ts";

const { time, number, text } = incrementTypes;
const order = (type: typeof time, a: string, b: string): number =>
  Math.sign(type.compare(parseValue(a), parseValue(b)));

test("numbers of any length are compared exactly, and keep their digits", () => {
  assert.equal(order(number, "13911860366432392", "13911860366432393"), -1);
  assert.equal(order(number, "1.10", "1.1"), 0);
  assert.equal(order(number, '"10"', "9"), 1);
  assert.equal(order(number, "-1", "-2"), 1);
  assert.equal(valueText(number.read(parseValue("1.10")) ?? null), "1.10");
  assert.equal(valueText(number.before(parseValue("13911860366432393"), 3)), "13911860366432390");
  assert.equal(valueText(number.before("13911860366432393", 3)), '"13911860366432390"');
  assert.equal(valueText(number.before(parseValue("1"), parseValue("2.5"))), "-1.5");
  for (const json of ["true", '""', '"a"', '" 1"', "[]", '"0x10"'])
    assert.equal(number.read(parseValue(json)), undefined, json);
});

test("texts are compared by code points", () => {
  assert.equal(order(text, '"a"', '"b"'), -1);
  assert.equal(order(text, '"a"', '"aa"'), -1);
  assert.equal(order(text, '"\\uffff"', '"\\ud83d\\ude00"'), -1);
  assert.equal(order(text, '"\\ud83d\\ude00"', '"\\ud83d\\ude01"'), -1);
  assert.equal(order(text, '"x"', '"x"'), 0);
  assert.equal(text.read(1), undefined);
});

test("a Unix time, or a time with an offset, is returned as ISO 8601 in UTC, with or without a lookback", () => {
  for (const [value, expected] of [
    ["1706688000", "2024-01-31T08:00:00Z"],
    ["1706688000.5", "2024-01-31T08:00:00.5Z"],
    ['"1706688000"', "2024-01-31T08:00:00Z"],
    ["1706688000123", "2024-01-31T08:00:00.123Z"],
    ['"2024-01-31T10:00:00+02:00"', "2024-01-31T08:00:00Z"],
  ] as const) {
    assert.equal(time.read(parseValue(value)), expected);
  }
  assert.equal(time.before("2024-01-31T08:00:00.123Z", 3_600_000), "2024-01-31T07:00:00.123Z");
});

test("dates and times without an offset mean UTC, and keep their form", () => {
  const rows: readonly (readonly [value: string, before: string])[] = [
    ["2024-05-01", "2024-04-30"],
    ["2024-05-01 10:30:00", "2024-05-01 10:29:59"],
    ["2024-05-01T10:30:00", "2024-05-01T10:29:59"],
    ["2024-05-01 10:30:00 UTC", "2024-05-01 10:29:59 UTC"],
    ["2024-05-01 10:30", "2024-05-01 10:29"],
    ["2024-05-01 10:30:00.25", "2024-05-01 10:30:00.24"],
    ["2024-05-01T10:30:00+02:00", "2024-05-01T08:29:59.999Z"],
  ];
  for (const [value, before] of rows) {
    const read = time.read(value);
    assert.equal(read, value.endsWith("+02:00") ? "2024-05-01T08:30:00Z" : value);
    assert.equal(time.before(read ?? null, 1), before);
  }
  assert.equal(order(time, '"2024-05-01"', '"2024-05-01 00:00:00 UTC"'), 0);
  assert.equal(order(time, '"2024-05-01 10:30:00"', '"2024-05-01T12:30:01+02:00"'), -1);
  for (const value of ["2024-02-30", "2024-05-01 25:00:00", "2024-05", "soon", ""])
    assert.equal(time.read(value), undefined, value);
});
