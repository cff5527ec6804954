import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { json, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { run, told } from "./run.ts";

/* A run that fails under way says what has become of its lines, and how to continue it. */

const api = () =>
  startApi(({ params }) => {
    return params.get("offset") === "0" ? [{ id: 1 }, { id: 2 }] : json({ message: "no" }, { status: 403 });
  });

for (const [what, options, left] of [
  ["to a pipe", [], []],
  ["to a file", ["-o", "lines.ndjson"], ["lines.ndjson was not written"]],
  ["to a folder", ["--split", "lines"], ["no file in lines was written"]],
  ["with a state", ["--state", "s.json"], ["--resume continues this run: its progress is in s.json"]],
  [
    "to a file, with a state",
    ["-o", "lines.ndjson", "--state", "s.json"],
    ["lines.ndjson was not written; --resume continues this run: its progress is in s.json"],
  ],
] as const) {
  test(what, async () => {
    await using served = await api();
    await using folder = await temporaryFolder();
    const args = options.map((word) => (word.startsWith("-") ? word : join(folder.path, word)));
    const end = await run(served, { api: { pagination: { method: "offset", limit: 2 } }, args });
    assert.equal(end.code, 69);
    const notes = told(end, "info").map((line) => line.replaceAll(`${folder.path}/`, ""));
    assert.deepEqual(notes, left);
    assert.equal(existsSync(join(folder.path, "lines.ndjson")), false);
  });
}
