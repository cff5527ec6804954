import assert from "node:assert/strict";
import { test } from "node:test";
import { MarkTexts } from "../../../src/core/runs/mark-texts.ts";
import { forSeeds } from "../../helpers/seeds.ts";

test("a list of marks behaves like a map for marks of any length, and keeps their order", async () => {
  await forSeeds(20, (random) => {
    const marks = new MarkTexts();
    const map = new Map<string, string>();
    const text = (): string =>
      random.pick(["a", "é", "😀", '"', ""]).repeat(random.oneIn(200) ? 300_000 : random.below(40)) + random.below(400);
    for (let count = random.between(0, 1500); count > 0; count -= 1) {
      const [context, value] = [text(), text()];
      marks.set(context, value);
      map.set(context, value);
      const other = text();
      assert.equal(marks.get(other), map.get(other));
    }
    assert.deepEqual([...marks], [...map]);
    for (const [context, value] of map) assert.equal(marks.get(context), value);
  });
});
