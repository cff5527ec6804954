import assert from "node:assert/strict";
import { test } from "node:test";
import { readWhole } from "../../../src/core/files/read-whole.ts";

test("a device without end is refused, and an empty device is read as an empty file", async () => {
  await assert.rejects(readWhole("/dev/zero"), /^Error: it is a device with more than 16777216 bytes$/);
  assert.equal((await readWhole("/dev/null")).length, 0);
});

test("a signal ends the reading of a device", async () => {
  const stop = new AbortController();
  const reading = readWhole("/dev/zero", stop.signal);
  stop.abort(new Error("enough"));
  await assert.rejects(reading, /^Error: enough$/);
});
