import assert from "node:assert/strict";
import { test } from "node:test";
import { incrementTypes } from "../../src/core/increment-types.ts";
import { parseValue, valueText } from "../../src/core/value.ts";

const { time, number, text } = incrementTypes;
const order = (type: typeof time, a: string, b: string): number =>
  Math.sign(type.compare(parseValue(a), parseValue(b)));

test("numbers compare exactly, of any length, and keep their digits", () => {
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

test("texts compare by code points", () => {
  assert.equal(order(text, '"a"', '"b"'), -1);
  assert.equal(order(text, '"a"', '"aa"'), -1);
  assert.equal(order(text, '"\\uffff"', '"\\ud83d\\ude00"'), -1);
  assert.equal(order(text, '"\\ud83d\\ude00"', '"\\ud83d\\ude01"'), -1);
  assert.equal(order(text, '"x"', '"x"'), 0);
  assert.equal(text.read(1), undefined);
});

test("times are given back in UTC, in one form whatever they came in", () => {
  assert.equal(time.read(parseValue("1706688000123")), "2024-01-31T08:00:00.123Z");
  assert.equal(time.before("2024-01-31T08:00:00.123Z", 3_600_000), "2024-01-31T07:00:00.123Z");
});
