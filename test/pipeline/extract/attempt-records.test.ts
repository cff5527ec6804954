import assert from "node:assert/strict";
import { test } from "node:test";
import { AttemptRecords } from "../../../src/pipeline/extract/attempt-records.ts";
import type { ExtractOptions } from "../../../src/pipeline/extract/options.ts";
import type { JobRun } from "../../../src/pipeline/job-run.ts";

test("lines have the time of their answer only if the output separates datasets", () => {
  const scroll = { lastRecord: [], watch: [] };
  const plan = { dataType: "d", children: [], wanted: [], scroll };
  const run = { plan, parents: [], start: { columns: [] } } as unknown as JobRun;
  for (const split of [true, false]) {
    const options = { split, tag: false, unique: undefined, fingerprintKey: "" } as unknown as ExtractOptions;
    const [lines] = new AttemptRecords(run, 12_345, options).take(Buffer.from('{"id":1}\n'), 1);
    assert.equal(lines?.time, split ? 12_345 : undefined);
  }
});
