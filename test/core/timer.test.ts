import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { callAfter } from "../../src/core/timer.ts";

test("a call after more than a timer's longest delay comes when the whole time has passed", async () => {
  const beginning = performance.now();
  let after = 0;
  callAfter(
    100,
    () => {
      after = performance.now() - beginning;
    },
    10,
  );
  for (let turn = 0; after === 0 && turn < 500; turn += 1) await wait(20);
  // Node rounds a delay down to milliseconds.
  assert.ok(after >= 99, `${after} ms`);
});

test("a cancelled call does not come, although it has waited for several timers", async () => {
  let hasCome = false;
  const come = (): void => {
    hasCome = true;
  };
  const cancel = callAfter(1000, come, 10);
  await wait(50);
  cancel();
  await wait(1100);
  assert.equal(hasCome, false);
});
