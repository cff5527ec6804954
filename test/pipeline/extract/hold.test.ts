import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lines } from "../../../src/core/runs/lines.ts";
import { newFingerprintKey } from "../../../src/core/values/fingerprint.ts";
import { Hold } from "../../../src/pipeline/extract/hold.ts";
import type { Random } from "../../helpers/random.ts";
import { forSeeds } from "../../helpers/seeds.ts";

const key = newFingerprintKey();
const changed = /began with other records/;

function add(hold: Hold, ...lines: readonly string[]): void {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  hold.add({ dataset: "d", bytes, records: lines.length });
}

function text(batches: readonly Lines[]): string {
  return batches.map(({ bytes }) => bytes.toString()).join("");
}

/** Returns the hold of a page whose first attempt let `a`, `b` and `c` flow before it broke off. */
function broken(): Hold {
  const hold = new Hold(0, key);
  hold.restart();
  add(hold, "a", "b");
  add(hold, "c");
  assert.equal(text(hold.flow()), "a\nb\nc\n");
  hold.restart();
  return hold;
}

test("an attempt after one that broke off writes only new lines, however they are divided", () => {
  const hold = broken();
  add(hold, "a");
  assert.deepEqual(hold.flow(), []);
  add(hold, "b", "c", "d");
  const [rest] = hold.flow();
  assert.deepEqual([rest?.bytes.toString(), rest?.records], ["d\n", 1]);
  hold.checkRepeated();
});

test("an attempt that begins with lines other than the written ones is an error at the first difference", () => {
  for (const lines of [
    ["a", "x", "c"],
    ["b", "a", "c"],
    ["a", "b", "c".repeat(3)],
    ["xx", "bc"],
  ]) {
    const hold = broken();
    add(hold, ...lines);
    assert.throws(() => hold.flow(), changed, lines.join());
  }
});

test("a failed attempt that began with lines other than the written ones writes no line", () => {
  const hold = broken();
  add(hold, "a", "x", "c", "d");
  assert.deepEqual(hold.flowBeforeFailure(), []);
});

test("an attempt that ends before it has repeated the written lines is an error", () => {
  for (const lines of [[], ["a"], ["a", "b"]]) {
    const hold = broken();
    if (lines.length > 0) add(hold, ...lines);
    assert.deepEqual(hold.flow(), []);
    assert.throws(() => hold.checkRepeated(), changed, lines.join());
  }
});

test("an attempt may break off within the repeated lines, and the next one repeats all of them", () => {
  const hold = broken();
  add(hold, "a", "b");
  assert.deepEqual(hold.flow(), []);
  hold.restart();
  add(hold, "a", "b");
  assert.deepEqual(hold.flow(), []);
  add(hold, "c", "d");
  assert.equal(text(hold.flow()), "d\n");
  hold.restart();
  add(hold, "a", "b", "c", "d", "e");
  assert.equal(text(hold.flow()), "e\n");
  hold.checkRepeated();
});

test("a page has the same digest whether its lines were written at once, repeated or held", () => {
  const waited = new Hold(1000, key);
  add(waited, "a", "b", "c", "d");
  const flowed = broken();
  add(flowed, "a", "b", "c");
  flowed.flow();
  add(flowed, "d");
  flowed.flow();
  const digest = waited.digest();
  assert.equal(flowed.digest(), digest);
  const other = new Hold(1000, key);
  add(other, "a", "b", "c");
  assert.notEqual(other.digest(), digest);
});

test("the same lines of another dataset are a difference, however they are divided", () => {
  const lines = (dataset: string, text: string): Lines => ({ dataset, bytes: Buffer.from(text), records: 1 });
  const flowed = [lines("a", "1\n"), lines("a", "2\n"), lines("b", "3\n")];
  const after = (again: readonly Lines[]): string => {
    const hold = new Hold(0, key);
    for (const batch of flowed) hold.add(batch);
    hold.flow();
    hold.restart();
    for (const batch of again) hold.add(batch);
    const rest = text(hold.flow());
    hold.checkRepeated();
    return rest;
  };
  assert.equal(after([lines("a", "1\n2\n"), lines("b", "3\n4\n")]), "4\n");
  assert.throws(() => after([lines("a", "1\n2\n3\n4\n")]), changed);
  assert.throws(() => after([lines("b", "1\n2\n"), lines("b", "3\n4\n")]), changed);
  assert.throws(() => after([lines("a", "1\n"), lines("b", "2\n3\n4\n")]), changed);
  assert.throws(() => after([lines("a", "1\n2\n")]), changed);
});

test("for all breaks and differences, each line is written once and in order, or the difference is reported", async () => {
  const seen = { whole: 0, changed: 0, breaks: 0 };
  await forSeeds(1500, (random) => round(random, seen));
  assert.ok(seen.whole > 400 && seen.changed > 80 && seen.breaks > 1500, JSON.stringify(seen));
});

/** Makes attempts at one page, the last of which reaches its end. Some attempts have other lines. */
function round(random: Random, seen: { whole: number; changed: number; breaks: number }): void {
  const lines = Array.from({ length: random.below(12) }, () => line(random));
  const limit = random.pick([0, 1, 20, 100, 1e6]);
  const hold = new Hold(limit, key);
  const attempts = random.between(1, 5);
  let written = "";
  let waiting = "";
  let repeated = "";
  const flow = (): void => {
    const flowing = written !== "" || waiting.length > limit;
    const both = repeated + waiting;
    const differs = flowing && both.length >= written.length && !both.startsWith(written);
    if (differs) {
      assert.throws(() => hold.flow(), changed);
      throw new Changed();
    }
    const out = text(hold.flow());
    assert.equal(out, flowing ? both.slice(written.length) : "");
    if (flowing) [written, repeated, waiting] = [written + out, both, ""];
  };
  try {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      hold.restart();
      [waiting, repeated] = ["", ""];
      const given = random.oneIn(6) ? altered(random, lines) : lines;
      const stop = attempt === attempts ? given.length : random.below(given.length + 1);
      for (let at = 0; at < stop; ) {
        const batch = given.slice(at, Math.min(stop, at + random.between(1, 4)));
        at += batch.length;
        add(hold, ...batch);
        waiting += batch.map((one) => `${one}\n`).join("");
        if (!random.oneIn(3)) flow();
      }
      if (attempt < attempts) {
        seen.breaks += 1;
        continue;
      }
      flow();
      if (repeated.length < written.length) {
        assert.throws(() => hold.checkRepeated(), changed);
        throw new Changed();
      }
      hold.checkRepeated();
      const whole = Buffer.from(given.map((one) => `${one}\n`).join(""));
      const other = new Hold(Number.POSITIVE_INFINITY, key);
      add(other, ...given);
      assert.equal(hold.digest(), other.digest());
      hold.sift();
      assert.equal(written + text(hold.release()), whole.toString());
      seen.whole += 1;
    }
  } catch (error) {
    if (!(error instanceof Changed)) throw error;
    seen.changed += 1;
  }
}

class Changed extends Error {}

function line(random: Random): string {
  return random.pick(["a", "b", "c"]).repeat(random.oneIn(3) ? random.below(50) : random.below(3));
}

function altered(random: Random, lines: readonly string[]): string[] {
  const at = random.below(lines.length + 1);
  return random.pick([
    () => [...lines.slice(0, at), line(random), ...lines.slice(at)],
    () => [...lines.slice(0, at), ...lines.slice(at + 1)],
    () => [...lines.slice(0, at), line(random), ...lines.slice(at + 1)],
    () => lines.slice(0, at),
  ])();
}
