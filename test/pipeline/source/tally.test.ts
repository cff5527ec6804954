import assert from "node:assert/strict";
import { test } from "node:test";
import { addVerdict, createTally, resultOf } from "../../../src/pipeline/source/tally.ts";

test("the worst verdict of several runs is reported, in the order failed, suspect, limited, complete", () => {
  const tally = createTally("items");
  addVerdict(tally, { kind: "complete", reason: "an empty page" });
  assert.deepEqual([resultOf(tally, false).verdict, resultOf(tally, false).reason], ["complete", "an empty page"]);
  addVerdict(tally, { kind: "limited", reason: "after 2 pages" });
  assert.deepEqual(resultOf(tally, false).reason, "1 of 2 runs, the first: after 2 pages");
  addVerdict(tally, { kind: "suspect", reason: "there is more" });
  addVerdict(tally, { kind: "suspect", reason: "of another" });
  const { verdict, reason } = resultOf(tally, false);
  assert.deepEqual([verdict, reason], ["suspect", "2 of 4 runs, the first: there is more"]);
  tally.failure = "answered 403";
  assert.deepEqual([resultOf(tally, false).verdict, resultOf(tally, false).reason], ["failed", "answered 403"]);
});
