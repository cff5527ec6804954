import assert from "node:assert/strict";
import { test } from "node:test";
import { beginningOf, type Progress, withRestartedJob } from "../../src/resume/progress.ts";

const inTheMiddle: Progress = {
  version: "1",
  configuration: "c",
  options: "o",
  output: "out",
  fingerprintKey: "0".repeat(32),
  startedAt: 0,
  clock: 0,
  checkpoint: { ...beginningOf(0, 1), position: { token: "t" }, pages: 2 },
  failed: [],
  lengths: { out: 9 },
  begun: { out: 5 },
  results: [],
  watermarks: {},
};

test("a job starts over at its first line, unless its lines or watermarks cannot be taken back", () => {
  const { begun: _, ...others } = inTheMiddle;
  assert.deepEqual(withRestartedJob(inTheMiddle), { ...others, checkpoint: beginningOf(0, 1), lengths: { out: 5 } });
  assert.deepEqual(withRestartedJob({ ...inTheMiddle, watermarks: { a: { path: "at", value: "1" } } })?.lengths, {
    out: 5,
  });
  const partitions = [{ context: { id: 7 }, value: "1" }];
  const cases: readonly object[] = [
    { begun: undefined },
    { failed: [beginningOf(0, 0)] },
    // Otherwise marks of parents that the job moved before the interruption would not be taken back.
    { watermarks: { a: { path: "at", partitions } } },
  ];
  for (const one of cases) assert.equal(withRestartedJob({ ...inTheMiddle, ...one } as Progress), undefined);
});
