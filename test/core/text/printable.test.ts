import assert from "node:assert/strict";
import { test } from "node:test";
import { foundText } from "../../../src/config/found.ts";
import { beginningOf, briefAddress, shortText } from "../../../src/core/text/printable.ts";
import { nameText } from "../../../src/extract/fault.ts";

test("a text is not cut within a character", () => {
  const short = shortText("a😀b", 2);
  assert.equal(short, "a...");
  assert.deepEqual([shortText("a😀b", 3), shortText("a😀", 3), shortText("😀😀", 1)], ["a😀...", "a😀", "..."]);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((most) => beginningOf("a😀😀", most)),
    ["", "a", "a", "a😀", "a😀", "a😀😀"],
  );
  // A lone surrogate of the text itself is kept.
  assert.equal(beginningOf("\ud83da", 1), "\ud83d");
});

test("messages never contain half a character", () => {
  for (const start of ["", "a"]) {
    const text = start + "😀".repeat(2000);
    for (const cut of [nameText(text), briefAddress(text), foundText(text, [])]) assert.ok(cut.isWellFormed(), cut);
  }
});
