import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, numericValue } from "../../../src/core/values/decimal.ts";

test("numbers of any length and exponent are compared exactly", () => {
  const ordered = [
    "-1e99999999999999999999999999999999",
    "-2",
    `-1.${"0".repeat(2000)}1`,
    "-1",
    "-1e-99999999999999999999999999999999",
    " 0e5\n",
    ".5",
    "1.",
    `1.${"0".repeat(2000)}1`,
    `1${"0".repeat(2000)}`,
    `1${"0".repeat(2000)}1`,
    "1e2002",
    "1e99999999999999999999999999999999",
  ];
  for (const [index, text] of ordered.entries()) {
    for (const [other, than] of ordered.entries()) {
      const [a, b] = [numericValue(text) ?? assert.fail(text), numericValue(than) ?? assert.fail(than)];
      assert.equal(Math.sign(compare(a, b)), Math.sign(index - other), `${text} and ${than}`);
    }
  }
  for (const text of ["", ".", "1 2", "0x1", "1e", "--1", "e5"]) assert.equal(numericValue(text), undefined);
});
