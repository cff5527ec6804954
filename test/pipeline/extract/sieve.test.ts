import assert from "node:assert/strict";
import { test } from "node:test";
import { createSieve } from "../../../src/pipeline/extract/sieve.ts";
import { KeySet } from "../../../src/pipeline/key-set.ts";

const unique = { path: ["k"], limit: 1_000_000 };

function sieveOf() {
  return createSieve(unique, new KeySet(unique.limit), { tag: false, warn: (message) => assert.fail(message) });
}

function lines(records: readonly string[]) {
  return [
    { dataset: "d", bytes: Buffer.from(records.map((record) => `${record}\n`).join("")), records: records.length },
  ];
}

test("keys are compared as they are written, except that strings are compared by their value", () => {
  const keys = [
    '["a\\n",13911860366432393]',
    '["a\\n",13911860366432392]',
    '["a\\u000a",13911860366432393]',
    '{"\\u0061":1.10,"b":"\\\\"}',
    '{"a":1.1,"b":"\\\\"}',
    '{"a":1.10,"b":"\\\\"}',
    '"\\u0041"',
    '"A"',
    '"\\\\u0041"',
    '"\\\\"',
  ];
  const sieve = sieveOf();
  const [passed] = sieve.sift(lines(keys.map((key) => `{"k":${key}}`)));
  const dropped = keys.map((_, index) => index).filter((index) => sieve.dropped.has(index));
  assert.deepEqual(dropped, [2, 5, 7]);
  assert.deepEqual([passed?.records, sieve.dropped.size], [7, 3]);
});

test("a key may have millions of escapes", () => {
  const sieve = sieveOf();
  const key = '\\"'.repeat(8_000_000);
  sieve.sift(lines([`{"k":"${key}"}`, `{"k":"${key}\\n"}`, `{"k":"${key}"}`]));
  assert.deepEqual([sieve.dropped.has(0), sieve.dropped.has(1), sieve.dropped.has(2)], [false, false, true]);
});

test("dropped records are known by their places in the page, over any number of calls", () => {
  const sieve = sieveOf();
  const page = lines(
    Array.from({ length: 4096 }, (_, index) => `{"k":${index % 2 === 0 ? 0 : Math.floor(index / 3)}}`),
  );
  const seen = new Set<number>();
  let place = 0;
  for (let round = 0; round < 40; round += 1) {
    sieve.sift(page);
    place += 4096;
  }
  for (let index = 0; index < 4096; index += 1) {
    const key = index % 2 === 0 ? 0 : Math.floor(index / 3);
    assert.equal(sieve.dropped.has(index), seen.has(key), `${index}`);
    seen.add(key);
  }
  assert.equal(sieve.dropped.size, place - seen.size);
  assert.ok(sieve.dropped.has(place - 1) && !sieve.dropped.has(place));
});
