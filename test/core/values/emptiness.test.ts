import assert from "node:assert/strict";
import { test } from "node:test";
import { isEmpty } from "../../../src/core/values/emptiness.ts";
import { parseValue } from "../../../src/core/values/value.ts";

test("a value is empty if PHP 8.2 treats it as empty, except a number that only rounding makes zero", () => {
  const zeros = ["0", "-0", "0.0", "0e0", "-0.00E+5", `0.${"0".repeat(400)}`];
  for (const text of ["null", "false", '""', '"0"', "[]", ...zeros])
    assert.equal(isEmpty(parseValue(text)), true, text);
  for (const text of ["true", '"0.0"', '" "', "{}", "[0]", "0.01", "-1", "10", "1e-400"]) {
    assert.equal(isEmpty(parseValue(text)), false, text);
  }
});
