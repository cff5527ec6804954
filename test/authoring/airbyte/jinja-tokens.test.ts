import assert from "node:assert/strict";
import { test } from "node:test";
import { JinjaFault, tokens } from "../../../src/authoring/airbyte/jinja-tokens.ts";

test("an expression of many megabytes is refused, and a long one is read", () => {
  assert.throws(() => tokens(`"${"x".repeat(12_000_000)}"`), JinjaFault);
  assert.deepEqual(
    tokens(`"${"x".repeat(900_000)}" + 1`).map(({ text }) => text.length),
    [900_000, 1, 1],
  );
});
