import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobResult } from "../../../src/core/runs/run.ts";
import { mergedResults } from "../../../src/shards/merge/merged-results.ts";

const none = { pages: 1, records: 2, bytes: 3, requests: 1, retries: 0, logins: 0 };
const complete = {
  ...none,
  job: "a",
  dataType: "a",
  verdict: "complete",
  reason: "its last page is not full",
} as const;

test("the parents for which a child job failed are added up over the shards", () => {
  const failing = (failedParents: number): JobResult => ({
    ...complete,
    verdict: "suspect",
    reason: `failed for ${failedParents} parents`,
    failedParents,
  });
  const shards = [
    [complete, failing(2)],
    [complete, complete],
    [complete, failing(3)],
  ];
  assert.deepEqual(mergedResults(shards, {}), [
    { ...complete, pages: 3, records: 6, bytes: 9, requests: 3 },
    {
      ...complete,
      pages: 3,
      records: 6,
      bytes: 9,
      requests: 3,
      failedParents: 5,
      verdict: "suspect",
      reason: "in 2 of 3 shards, the first: failed for 2 parents",
    },
  ]);
});
