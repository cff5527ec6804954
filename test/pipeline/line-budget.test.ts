import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lines } from "../../src/core/runs/lines.ts";
import { LineBudget } from "../../src/pipeline/line-budget.ts";
import { forSeeds } from "../helpers/seeds.ts";

test("exactly the first lines up to --max-records are written, and all of them are counted", async () => {
  await forSeeds(200, (random, seed) => {
    const limit = random.oneIn(5) ? undefined : random.below(30);
    const spent = random.below(10);
    const budget = new LineBudget(limit, spent);
    const given: string[] = [];
    let written = "";
    for (let call = 0; call < 5; call += 1) {
      const batches = Array.from({ length: random.below(4) }, () => {
        const lines = Array.from({ length: random.between(1, 4) }, () => "x".repeat(random.below(3)));
        given.push(...lines);
        return linesOf(lines);
      });
      for (const { bytes, records } of budget.cut(batches)) {
        written += bytes;
        assert.equal(bytes.toString().split("\n").length - 1, records);
      }
    }
    const allowed = given.slice(0, limit === undefined ? undefined : Math.max(0, limit - spent));
    assert.equal(written, allowed.map((line) => `${line}\n`).join(""), `seed ${seed}`);
    assert.equal(budget.spent, spent + allowed.length);
    assert.equal(budget.isUsedUp, budget.left === 0);
    assert.equal(budget.left, limit === undefined ? Infinity : Math.max(0, limit - spent - allowed.length));
  });
});

function linesOf(lines: readonly string[]): Lines {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  return { dataset: "d", bytes, records: lines.length };
}
