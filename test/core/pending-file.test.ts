import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { replaceFile } from "../../src/core/pending-file.ts";
import { temporaryFolder } from "../helpers/cli.ts";

test("what cannot be written is named as the user knows it, not by its temporary name", async () => {
  await using folder = await temporaryFolder();
  const lost = join(folder.path, "nowhere", "out.ndjson");
  await assert.rejects(replaceFile(lost, "x"), {
    exitCode: 74,
    message: `cannot write to ${lost}: ENOENT: its folder does not exist`,
  });
  const file = await folder.write("file", "x");
  const below = join(file, "out.ndjson");
  await assert.rejects(replaceFile(below, "x"), { message: `cannot write to ${below}: ENOTDIR: not a directory` });
  await mkdir(join(folder.path, "inner"));
  const inner = join(folder.path, "inner");
  await assert.rejects(replaceFile(inner, "x"), { message: `cannot write to ${inner}: it is a folder` });
});
