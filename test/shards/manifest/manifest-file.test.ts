import assert from "node:assert/strict";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { ManifestLine } from "../../../src/shards/manifest/manifest.ts";
import { ManifestLines, writeManifest } from "../../../src/shards/manifest/manifest-file.ts";
import { BufferedFile, OpenFiles } from "../../../src/shards/manifest/open-files.ts";
import { temporaryFolder } from "../../helpers/cli.ts";

test("lines of a manifest are read whole, however many blocks they span", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "0.json");
  const time = "2026-01-01T00:00:00Z";
  const head = {
    version: 1,
    plan: "p",
    index: 0,
    attempt: "a",
    host: "h",
    startedAt: time,
    endedAt: time,
    bytes: 0,
  } as const;
  const lines = Array.from({ length: 40 }, (_, length): ManifestLine => [`é${"x".repeat(length)}`, length, 1]);
  {
    await using file = await open(path, "w");
    await writeManifest(file, head, lines);
  }
  for (const size of [1, 7, 64, 4096]) {
    const files = new OpenFiles();
    const manifest = new ManifestLines(new BufferedFile(path, files, size));
    await manifest.verify();
    const found: ManifestLine[] = [];
    for (let line = await manifest.peek(); line !== undefined; line = await manifest.peek()) {
      found.push(line);
      manifest.take();
    }
    await files.close();
    assert.deepEqual(found, lines, `blocks of ${size} bytes`);
  }
});
