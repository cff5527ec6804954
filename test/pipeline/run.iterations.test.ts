import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";

test("an iteration's connections are closed with it", async () => {
  const open: number[] = [];
  await using api = await startApi(() => {
    open.push(api.open());
    return [1];
  });
  const iterations = Array.from({ length: 20 }, (_, number) => ({ number }));
  const { output } = await runHere({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "x" }] },
    iterations,
  });
  assert.equal(output, "1\n".repeat(20));
  // The one before may still be closing.
  assert.ok(Math.max(...open) <= 3, `${open}`);
});
