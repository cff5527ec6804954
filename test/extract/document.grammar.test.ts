import assert from "node:assert/strict";
import { test } from "node:test";
import { DataFault, IncompleteDocument } from "../../src/extract/document.ts";
import { readPieces } from "./oracle.ts";
import { withoutStacks } from "./without-stacks.ts";

/* The scanner takes several tokens in one step, so every short sequence of tokens is tested after places of all kinds. */

const tokens = ["{", "}", "[", "]", ",", ":", '"a"', "12"] as const;
type Token = (typeof tokens)[number];
type Verdict = "whole" | "incomplete" | "broken";

/** Places where the sequences begin: in records, arrays and objects, before and after a value. */
const places: readonly (readonly Token[])[] = [
  ["["],
  ["[", "["],
  ["[", "[", "{", '"a"', ":", "12"],
  ["[", "[", "{", '"a"', ":", '"a"'],
  ["[", "{", '"a"', ":", "12"],
  ["[", "{", '"a"', ":", "{", '"a"', ":", "12"],
  ["[", "{", '"a"', ":", "[", "{", '"a"', ":", "12", "}"],
];

/** Returns the verdict of the JSON grammar on a sequence. */
function verdictOf(sequence: readonly Token[]): Verdict {
  const open: ("[" | "{")[] = [];
  let next: "value" | "first value" | "key" | "first key" | "colon" | "comma" = "value";
  for (const [index, token] of sequence.entries()) {
    // Two numbers side by side are one.
    if (token === "12" && sequence[index - 1] === "12") continue;
    if (next === "comma" && open.length === 0) return "broken";
    const closes = token === (open.at(-1) === "{" ? "}" : "]");
    if (closes && next !== "comma" && next !== "first value" && next !== "first key") return "broken";
    if (closes) {
      if (open.pop() === undefined) return "broken";
      next = "comma";
    } else if (next === "value" || next === "first value") {
      if (token === "{" || token === "[") open.push(token);
      else if (token !== '"a"' && token !== "12") return "broken";
      next = token === "{" ? "first key" : token === "[" ? "first value" : "comma";
    } else {
      const wanted = next === "colon" ? ":" : next === "comma" ? "," : '"a"';
      if (token !== wanted) return "broken";
      next = next === "colon" ? "value" : next === "comma" ? (open.at(-1) === "{" ? "key" : "value") : "colon";
    }
  }
  return next === "comma" && open.length === 0 ? "whole" : "incomplete";
}

function readingOf(text: string): Verdict {
  try {
    withoutStacks(() => readPieces([Buffer.from(text)], { dataField: [] }));
    return "whole";
  } catch (error) {
    assert.ok(error instanceof DataFault, String(error));
    return error instanceof IncompleteDocument ? "incomplete" : "broken";
  }
}

function* sequences(length: number): Generator<Token[]> {
  if (length === 0) yield [];
  else for (const rest of sequences(length - 1)) for (const token of tokens) yield [...rest, token];
}

for (const [style, join] of [
  ["compact", (sequence: readonly Token[]) => sequence.join("")],
  ["spaced", (sequence: readonly Token[]) => sequence.join("").replaceAll(",", ",\n  ").replaceAll(":", ": ")],
] as const) {
  test(`each sequence of four tokens is whole, incomplete or broken as the grammar says: ${style}`, () => {
    const seen = { whole: 0, incomplete: 0, broken: 0 };
    for (const place of places) {
      for (const more of sequences(4)) {
        const sequence = [...place, ...more];
        const text = join(sequence);
        const verdict = verdictOf(sequence);
        assert.equal(readingOf(text), verdict, text);
        if (verdict === "whole") JSON.parse(text);
        seen[verdict] += 1;
      }
    }
    assert.ok(seen.whole > 10 && seen.incomplete > 200 && seen.broken > 20_000, JSON.stringify(seen));
  });
}
