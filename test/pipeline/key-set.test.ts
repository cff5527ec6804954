import assert from "node:assert/strict";
import { test } from "node:test";
import { KeySet } from "../../src/pipeline/key-set.ts";

test("a key is new only once, however often the table grows", () => {
  const keys = new KeySet(Number.POSITIVE_INFINITY);
  const texts = Array.from({ length: 60_000 }, (_, index) => (index % 2 === 0 ? String(index) : `"${index - 1}"`));
  assert.ok(texts.every((text) => keys.add(text)));
  assert.ok(texts.every((text) => !keys.add(text)));
});

test("200,000 keys take at most 30 bytes each on average", () => {
  const keys = new KeySet(Number.POSITIVE_INFINITY);
  const count = 200_000;
  for (let index = 0; index < count; index += 1) keys.add(String(index));
  assert.ok(keys.bytes <= count * 30, `${keys.bytes / count} bytes a key`);
});

test("one key above the limit is an error, unless it is already in the set", () => {
  const keys = new KeySet(3);
  for (const text of ["1", "2", "3"]) keys.add(text);
  assert.equal(keys.add("2"), false);
  assert.throws(() => keys.add("4"), { code: "ERR_DATA", message: /3 keys for a job.*--unique-limit/ });
});
