import assert from "node:assert/strict";
import { test } from "node:test";
import { isJson } from "../../../src/core/values/value.ts";

test("a text is JSON if it is exactly one value", () => {
  for (const text of ["{}", ' [1, "a"]\n', "null", "0.10", '"text"']) assert.equal(isJson(text), true, text);
  for (const text of ["", " ", "{", '{"a":1', "{} {}", "{'a': 1}", "01", "text"])
    assert.equal(isJson(text), false, text);
});
