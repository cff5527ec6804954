import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { command, temporaryFolder } from "../helpers/cli.ts";
import { makeParts } from "./made-parts.ts";

// The code takes 9 MB of the heap of 20 MB. All lines of these manifests together would need 14 MB more.
test("many runs are merged in a heap that could not hold their manifests", async () => {
  await using folder = await temporaryFolder();
  const amounts = { iterations: 500, pages: 8000, windows: 8000, parents: 24_000 };
  const { lines, sha256 } = await makeParts(folder.path, amounts);
  const output = join(folder.path, "all.ndjson");
  const merge = ["shard", "merge", join(folder.path, "plan.json"), folder.path, "-o", output];
  const { stderr } = await promisify(execFile)(process.execPath, ["--max-old-space-size=20", command, ...merge]);
  assert.match(stderr, /child complete: 24000 records/);
  const all = await readFile(output);
  assert.equal(createHash("sha256").update(all).digest("hex"), sha256);
  assert.equal(all.toString().split("\n").length - 1, lines);
});
