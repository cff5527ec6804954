import assert from "node:assert/strict";
import { test } from "node:test";
import { createFingerprint, newFingerprintKey } from "../../../src/core/values/fingerprint.ts";
import { randomFrom } from "../../extract/random.ts";
import { forSeeds } from "../../helpers/seeds.ts";

const key = newFingerprintKey();

function fingerprint(...pieces: readonly Buffer[]): string {
  const print = createFingerprint(key);
  for (const piece of pieces) print.update(piece);
  return print.digest();
}

test("a fingerprint does not depend on how the bytes are divided", async () => {
  await forSeeds(100, (_, seed) => {
    const random = randomFrom(seed);
    const bytes = Buffer.from(Array.from({ length: random(3000) }, () => random(256)));
    const pieces: Buffer[] = [Buffer.alloc(0)];
    for (let at = 0; at < bytes.length; ) {
      const length = random(random(4) === 0 ? 700 : 40);
      pieces.push(bytes.subarray(at, at + length));
      at += length;
    }
    assert.equal(fingerprint(...pieces), fingerprint(bytes), `seed ${seed}`);
  });
});

test("fingerprints of different bytes differ: a bit changed, a byte added, two pieces swapped", () => {
  const bytes = Buffer.from('{"id":1,"name":"sap"}\n'.repeat(20_000));
  const flipped = Buffer.from(bytes);
  flipped[200_001] = (flipped[200_001] ?? 0) ^ 1;
  const [a, b] = [bytes.subarray(0, 64), bytes.subarray(64, 128)];
  const prints = [
    fingerprint(bytes),
    fingerprint(flipped),
    fingerprint(bytes, Buffer.alloc(1)),
    fingerprint(bytes.subarray(1)),
  ];
  prints.push(fingerprint(a, b), fingerprint(b, a), fingerprint(Buffer.alloc(16)), fingerprint(Buffer.alloc(32)));
  assert.equal(new Set(prints).size, prints.length, prints.join(" "));
});

test("a digest is the same in every process with the run's key, since state files keep it", () => {
  const print = createFingerprint("00112233445566778899aabbccddeeff");
  print.update(Buffer.from('{"id":1}\n'));
  assert.equal(print.digest(), print.digest());
  assert.equal(print.digest(), "8mZopcwZYEsk2BE1fZSHzg==");
  assert.notEqual(newFingerprintKey(), newFingerprintKey());
});
