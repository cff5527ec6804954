import assert from "node:assert/strict";
import { test } from "node:test";
import { shardIndex } from "../../../src/shards/plan/scheduler-index.ts";

test("the index comes from the option, else from the first variable that is set", () => {
  assert.equal(shardIndex(3, { SLURM_ARRAY_TASK_ID: "1" }, 4), 3);
  assert.equal(shardIndex(undefined, { SLURM_ARRAY_TASK_ID: "1", PARALLEL_SEQ: "3" }, 4), 1);
  assert.equal(shardIndex(undefined, { JOB_COMPLETION_INDEX: "0", SLURM_ARRAY_TASK_ID: "1" }, 4), 0);
  assert.equal(shardIndex(undefined, { SLURM_ARRAY_TASK_ID: "", PARALLEL_SEQ: "4" }, 4), 3);
});

test("a missing index, or one out of range, is a usage error", () => {
  const fails = (given: number | undefined, variables: Record<string, string>, message: RegExp): void =>
    assert.throws(() => shardIndex(given, variables, 4), { exitCode: 64, message });
  fails(undefined, {}, /^which shard is this\?/);
  fails(4, {}, /^--index is 4, but the plan has the shards 0 to 3$/);
  fails(undefined, { PARALLEL_SEQ: "0" }, /^PARALLEL_SEQ is 0, but the plan has the shards 1 to 4$/);
  fails(undefined, { AWS_BATCH_JOB_ARRAY_INDEX: "one" }, /^AWS_BATCH_JOB_ARRAY_INDEX is not an index: "one"$/);
});
