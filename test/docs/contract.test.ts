import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { builtPart } from "./markdown.ts";

interface Text {
  readonly path: string;
  readonly text: string;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const contract = readFileSync(join(root, "docs/contract.md"), "utf8");
const rules = rulesOf(contract);
const rule = "(?:P\\d+|C-\\d+(?:\\.\\d+)?)";
const citation = new RegExp(`\\bcontract (${rule}(?:, ${rule})*)`, "g");

/** References to documents that are not in the repository. Only this file may contain them. */
const books =
  /\b[Ss]pec \d+|\bsource, "[A-Z]|\((?:[A-GLNSV]\d{1,2}, )*[A-GLNSV]\d{1,2}\)|\b(?:behaviour|beyond|authoring|shards)\.md\b/g;

test("each rule of the contract has its own number, in order", () => {
  const numbers = [...contract.matchAll(/^- \*\*(P\d+|C-\d+\.\d+)\b/gm)].map(([, number = ""]) => number);
  assert.ok(numbers.length > 80);
  const places = numbers.map((number) =>
    Number(
      number
        .replace(/^P/, "0.")
        .replace(/\.(\d)$/, ".0$1")
        .replace("C-", ""),
    ),
  );
  assert.deepEqual(
    places,
    [...new Set(places)].sort((a, b) => a - b),
  );
});

test("source and tests cite only rules that the contract has, and no documents outside of the repository", () => {
  const texts = ["src", "test", "scripts", "schemas"].flatMap(textsIn);
  assert.ok(texts.flatMap(citationsOf).length > 100);
  assert.deepEqual(texts.flatMap(wrongCitations), []);
});

test("a wrong citation is found", () => {
  const wrong = (text: string): readonly string[] => wrongCitations({ path: "src/a.ts", text });
  assert.deepEqual(wrong("/** A file (contract C-2.1, P1), of many (contract C-2). */"), []);
  assert.equal(wrong("/** A file (contract C-2.99, P99). */").length, 2);
  const chapters = rulesOf(
    "## C-1 A\n\n- **C-1.1** x\n- **C-1.2** *Not built yet.* x\n\n## C-2 B\n\n*Not built yet.*\n\n- **C-2.1** x\n",
  );
  assert.deepEqual([...chapters], ["C-1", "C-1.1"]);
  for (const book of [
    "spec 5",
    "Spec 7",
    "spec 1, promise 3",
    'source, "Merging"',
    "a page (A13, S20)",
    "behaviour.md",
  ]) {
    assert.equal(wrong(`/** A file: ${book}. */`).length, 1, book);
  }
});

/** Returns the numbers of rules and chapters. Parts that are marked as not built yet do not count. */
function rulesOf(text: string): ReadonlySet<string> {
  const numbered = builtPart(text).matchAll(/^(?:## |- \*\*)(P\d+|C-\d+(?:\.\d+)?)\b/gm);
  return new Set([...numbered].map(([, number = ""]) => number));
}

function citationsOf({ text }: Text): string[] {
  return [...text.matchAll(citation)].flatMap(([, list = ""]) => list.split(", "));
}

function wrongCitations(file: Text): string[] {
  const unknown = citationsOf(file).filter((number) => !rules.has(number));
  const foreign = [...file.text.matchAll(books)].map(([book]) => book);
  return [...unknown, ...foreign].map((cited) => `${file.path} cites ${cited}`);
}

function textsIn(folder: string): Text[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => /\.(ts|js|mjs|sh|json)$/.test(path) && path !== "test/docs/contract.test.ts")
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}
