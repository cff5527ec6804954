import assert from "node:assert/strict";
import { test } from "node:test";
import { WatermarkTexts } from "../../../src/core/runs/watermark-texts.ts";
import { forSeeds } from "../../helpers/seeds.ts";

test("WatermarkTexts behaves like a map for texts of any length, and keeps their order", async () => {
  await forSeeds(20, (random) => {
    const texts = new WatermarkTexts();
    const map = new Map<string, string>();
    const text = (): string =>
      random.pick(["a", "é", "😀", '"', ""]).repeat(random.oneIn(200) ? 300_000 : random.below(40)) + random.below(400);
    for (let count = random.between(0, 1500); count > 0; count -= 1) {
      const [context, value] = [text(), text()];
      texts.set(context, value);
      map.set(context, value);
      const other = text();
      assert.equal(texts.get(other), map.get(other));
    }
    assert.deepEqual([...texts], [...map]);
    for (const [context, value] of map) assert.equal(texts.get(context), value);
  });
});
