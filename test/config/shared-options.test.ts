import assert from "node:assert/strict";
import { test } from "node:test";
import { optionsOf } from "../../src/cli/option-table.ts";
import { hyphenated, sharedNames, sharedOptions } from "../../src/config/shared-options.ts";
import { readOptions } from "../../src/library-options.ts";

/** Options of `run` that are not options of the library under this name. */
const ofTheCommand = [
  ...["output", "split", "singer", "config", "discover", "catalog", "summary", "record-body"],
  ...["verbose", "quiet", "log-format", "progress", "no-color", "help", "version"],
];

/** Options of both that the library reads by other functions. */
const inAnotherForm = ["job", "set", "env", "record", "replay", "report", "metrics", "metrics-name"];

test("each shared option of a run is read by the same function for the command and the library, and all others are listed here", () => {
  const rows = new Map(optionsOf("run").map((row) => [row.name, row]));
  for (const name of sharedNames) {
    const kind = sharedOptions[name];
    assert.equal(rows.get(hyphenated(name))?.kind, kind === "flag" ? undefined : kind, name);
    assert.throws(() => readOptions({ [name]: Symbol("none") }), {
      message: new RegExp(`^the option ${name} must be`),
    });
    rows.delete(hyphenated(name));
  }
  assert.deepEqual([...rows.keys()].sort(), [...ofTheCommand, ...inAnotherForm].sort());
});
