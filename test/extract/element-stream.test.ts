import assert from "node:assert/strict";
import { test } from "node:test";
import type { Path } from "../../src/core/values/path.ts";
import { ElementStream } from "../../src/extract/element-stream.ts";

/* Tests of one element that comes in pieces; the properties are in element-stream.property.test.ts. */

function streamOf(each: readonly Path[], kept: readonly Path[], maxBytes = 100): ElementStream {
  return new ElementStream({ name: "data", each, number: 1, isMember: false, kept, maxBytes, streamedAbove: 7 });
}

test("elements before the one that paging reads are kept as empty values, so that the index of that element stays right", () => {
  const stream = streamOf([["0", "items"], []], [["2", "id"]]);
  const { bytes, records } = stream.write(Buffer.from('[{"items":[{"n":1},{"n":2}]},{"x":[5]},{"id":7},{"y":6}]'));
  assert.deepEqual([bytes.toString(), records], ['{"n":1}\n{"n":2}\n', 2]);
  assert.equal(stream.end()?.toString(), '[{"items":[]},0,{"id":7}]');
});

test("a value that is too long is refused before its end", () => {
  const beginnings = [
    ['{"items":[1,["', /^element 2 of "items" of element 1 of "data" is longer than 100 bytes/],
    ['{"note":["', /^the values that paging reads from element 1 of "data"/],
  ] as const;
  for (const [beginning, misfit] of beginnings) {
    const stream = streamOf([["items"], []], [["note"]]);
    stream.write(Buffer.from(beginning));
    stream.write(Buffer.from("x".repeat(90)));
    assert.equal(stream.misfit, undefined);
    stream.write(Buffer.from("x".repeat(20)));
    assert.match(stream.misfit ?? "", misfit);
  }
});
