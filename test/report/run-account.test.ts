import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { activities } from "../../src/core/runs/account.ts";
import { RunAccount, shareNames } from "../../src/report/run-account.ts";
import { forSeeds } from "../helpers/seeds.ts";

/** Returns an account with a clock that the test moves. */
function accountWithClock(): { account: RunAccount; pass(ms: number): void } {
  let time = 1000;
  const account = new RunAccount(() => time);
  account.open(time);
  return {
    account,
    pass(ms) {
      time += ms;
    },
  };
}

test("each instant counts for the first cause that applies", async () => {
  const { account, pass } = accountWithClock();
  pass(5);
  const request = account.sent("users");
  pass(10);
  const drained = new AbortController();
  const reader = account.during("reader", once(drained.signal, "abort"));
  pass(20);
  request.answered();
  request.waits();
  pass(3);
  drained.abort();
  await reader;
  pass(4);
  request.received();
  pass(2);
  const released = new AbortController();
  const retry = account.during("retry", once(released.signal, "abort"), "users");
  pass(50);
  released.abort();
  await retry;
  account.close(1000 + 94);
  assert.deepEqual(account.shares(94), { reader: 23, transfer: 4, answer: 10, rateLimit: 0, retry: 50, spile: 7 });
  assert.deepEqual(account.dataset("users"), { from: 5, to: 42, waitMs: 50 });
  assert.deepEqual(account.bars(), [
    { kind: "answer", from: 5, answered: 35, to: 42 },
    { kind: "reader", from: 15, to: 38 },
    { kind: "retry", from: 44, to: 94 },
  ]);
});

test("the shares of the run and those of its timeline add up to the duration, for any overlap and any length", async () => {
  await forSeeds(30, async ({ below, pick, oneIn }) => {
    const { account, pass } = accountWithClock();
    const ends: (() => void)[] = [];
    let elapsed = 0;
    for (let step = 0; step < 300; step += 1) {
      const ms = below(step % 50 === 0 ? 5_000_000 : 9000) / 1000;
      elapsed += ms;
      pass(ms);
      if (oneIn(2)) {
        void account.during(pick(activities), new Promise<void>((resolve) => ends.push(resolve)));
      } else ends.splice(below(ends.length || 1), 1)[0]?.();
      await Promise.resolve();
      await Promise.resolve();
    }
    account.close(1000 + elapsed);
    const durationMs = Math.round(elapsed);
    const shares = account.shares(durationMs);
    assert.equal(
      shareNames.reduce((sum, name) => sum + shares[name], 0),
      durationMs,
    );
    assert.ok(shareNames.every((name) => shares[name] >= 0));
    const { shares: bins } = account.timeline(durationMs);
    const binned = shareNames.reduce((sum, name) => sum + bins[name].reduce((a, b) => a + b, 0), 0);
    assert.ok(Math.abs(binned - elapsed) < 100, `${binned} in bins, ${elapsed} in all`);
    assert.ok(bins.spile.length <= 240);
  });
});

test("a run of more than 1000 requests has no bars, and a failure of an awaited promise is passed on", async () => {
  const { account, pass } = accountWithClock();
  await assert.rejects(account.during("rateLimit", Promise.reject(new Error("over"))), /over/);
  for (let count = 0; count < 1001; count += 1) {
    assert.equal(account.bars()?.length, count);
    account.sent().answered();
    pass(1);
  }
  assert.equal(account.bars(), undefined);
  await pause(0);
});

test("shares in whole milliseconds add up to the duration", () => {
  const { account, pass } = accountWithClock();
  // If the shares were rounded separately, their sum would be 4 ms for a duration of 3 ms, and the share of spile would be below
  // 0.
  const request = account.sent();
  pass(1.5);
  request.answered();
  request.waits();
  pass(1.5);
  request.received();
  account.close(1003);
  const shares = account.shares(3);
  assert.deepEqual([shares.answer, shares.transfer, shares.spile].sort(), [0, 1, 2]);
});
