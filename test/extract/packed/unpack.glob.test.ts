import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { matchesGlob } from "../../../src/extract/packed/unpack.ts";

describe("patterns for the members of a zip", () => {
  const rows: readonly (readonly [glob: string, path: string, matches: boolean])[] = [
    ["*.csv", "a.csv", true],
    ["*.csv", ".csv", true],
    ["*.csv", "a.csv.txt", false],
    ["*.csv", "a/b.csv", false],
    ["*/b?.csv", "a/b1.csv", true],
    ["*/b?.csv", "a/b.csv", false],
    ["a+b.csv", "a+b.csv", true],
    ["a.csv", "abcsv", false],
    ["a*b*c", "abbcbc", true],
    ["a*b*c", "abbcb", false],
    ["*", "", true],
    ["", "", true],
    ["", "a", false],
    ["*", "a/", false],
  ];
  for (const [glob, path, expected] of rows) {
    it(`"${glob}" ${expected ? "matches" : "does not match"} "${path}"`, () =>
      assert.equal(matchesGlob(path, glob), expected));
  }
  it("matching takes linear time, even for many stars", () => {
    assert.equal(matchesGlob("a".repeat(60_000), `${"*a".repeat(30)}b`), false);
  });
});
