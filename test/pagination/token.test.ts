import assert from "node:assert/strict";
import { test } from "node:test";
import type { Watched } from "../../src/core/runs/page.ts";
import { tokenOf } from "../../src/pagination/token.ts";

/** A value of a response, and whether it is a token. */
const rows: readonly (readonly [type: Watched["type"], text: string, isToken: boolean])[] = [
  ["null", "null", false],
  ["boolean", "false", false],
  ["boolean", "true", true],
  ["number", "0", false],
  ["number", "-0", false],
  ["number", "0.0", false],
  ["number", "0e10", false],
  ["number", "0.01", true],
  ["number", "10", true],
  ["number", "-1", true],
  ["string", "", false],
  ["string", "0", false],
  ["string", "0.0", true],
  ["string", " ", true],
  ["string", "false", true],
];

test("a value is no token if it is missing, null, false, zero, or an empty text, list or object", () => {
  assert.equal(tokenOf(undefined), undefined);
  for (const [type, text, isToken] of rows) {
    const token = isToken ? { type, text } : undefined;
    assert.deepEqual(tokenOf({ type, text, empty: false }), token, `${type} ${JSON.stringify(text)}`);
  }
  for (const type of ["array", "object"] as const) {
    assert.equal(tokenOf({ type, text: "", empty: true }), undefined);
    assert.deepEqual(tokenOf({ type, text: "[1]", empty: false }), { type, text: "[1]" });
  }
});
