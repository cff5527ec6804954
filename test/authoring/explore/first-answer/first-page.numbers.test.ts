import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf } from "../../../../src/authoring/explore/first-answer/first-page.ts";
import { parseValue } from "../../../../src/core/values/value.ts";

test("numbers of an answer beyond the range of a double are read as infinite, or as 0", () => {
  const fields = fieldsOf(parseValue('{"total":1e400,"least":-1e400,"little":1e-400,"page":1}'), []);
  assert.deepEqual(
    fields.map(({ value }) => value),
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 1],
  );
});
