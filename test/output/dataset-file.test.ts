import assert from "node:assert/strict";
import { test } from "node:test";
import { fileNames } from "../../src/output/dataset-file.ts";

test("the file of a dataset has its name, with unsafe characters percent-encoded", () => {
  assert.deepEqual(
    [...fileNames(["users", "a/b", ".hidden", "žluť 1", "100%"]).values()],
    ["users.ndjson", "a%2Fb.ndjson", "%2Ehidden.ndjson", "žluť 1.ndjson", "100%25.ndjson"],
  );
});

test("names that differ only in case or composition get different files on every file system", () => {
  const datasets = [
    "Users",
    "users",
    "USERS",
    "ž",
    "Ž",
    "z\u030c",
    "가",
    "\u1100\u1161",
    "straße",
    "STRASSE",
    "alone É",
  ];
  const names = fileNames(datasets);
  assert.equal(names.get("users"), "users.ndjson");
  assert.equal(names.get("Users"), "%55sers.ndjson");
  assert.equal(names.get("alone É"), "alone É.ndjson");
  const folded = [...names.values()].map((name) => name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC"));
  assert.equal(new Set(folded).size, datasets.length, folded.join());
  // The name of a dataset's file does not depend on the order of the jobs.
  assert.deepEqual([...fileNames(datasets.toReversed())].toReversed(), [...names]);
});

test("a name that no file can have is refused", () => {
  assert.equal(fileNames(["ž".repeat(124)]).size, 1);
  assert.throws(() => fileNames(["a", "ž".repeat(125)]), {
    exitCode: 78,
    message:
      /^the file of dataset "ž{40}\.\.\." would have a name of 257 bytes; at most 255 are possible: .*"dataType"$/,
  });
});
