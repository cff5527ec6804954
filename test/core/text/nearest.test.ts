import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "../../../src/core/text/nearest.ts";

const names = ["metrics", "quiet", "set", "state", "summary", "max-records", "Authorization"];

test("a slip of the fingers is recognised", () => {
  for (const [word, meant] of [
    ["metric", "metrics"],
    ["qiuet", "quiet"],
    ["uqiet", "quiet"],
    ["uiet", "quiet"],
    ["sets", "set"],
    ["sumary", "summary"],
    ["max-record", "max-records"],
    ["nax-records", "max-records"],
    ["authorization", "Authorization"],
    ["SET", "set"],
  ] as const) {
    assert.equal(nearest(word, names), meant);
  }
});

test("another word is not taken for a slip, even if it is short or ends alike", () => {
  for (const word of ["retries", "get", "let", "x", "", "records", "late", "commentary"]) {
    assert.equal(nearest(word, names), undefined, word);
  }
});
