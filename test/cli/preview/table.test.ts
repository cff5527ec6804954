import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsOf } from "../../../src/cli/figures.ts";
import { gridOf } from "../../../src/cli/preview/cells.ts";
import { tableText } from "../../../src/cli/preview/table.ts";
import { parseValue, type Value } from "../../../src/core/values/value.ts";
import { createRandom } from "../../helpers/random.ts";

const plain = (width: number) => ({ width, color: false });

test("the table has a column for each name, exact numbers, and JSON for nested values", () => {
  const records = ['{"id":13911860366432393,"n":1.10,"ok":true}', '{"id":2,"at":{"a":[1,2]},"x":null}'].map(parseValue);
  assert.equal(
    tableText(gridOf(records, {}), plain(80)),
    `id                 n     ok    at           x
13911860366432393  1.10  true
2                              {"a":[1,2]}  null
`,
  );
  assert.equal(
    tableText(gridOf(records, { chosen: ["at.a.1", "id"] }), plain(80)),
    "at.a.1  id\n        13911860366432393\n2       2\n",
  );
  assert.equal(tableText(gridOf([1, "a\u001b[31m", [2]], {}), plain(80)), "value\n1\na\\x1b[31m\n[2]\n");
});

test("a secret is masked before its value is cut, so its beginning is not shown", () => {
  const secret = "hunter2".repeat(40);
  const mask = (text: string): string => text.replaceAll(secret, "***");
  const records = [{ a: `x${secret}`, b: { c: secret } }, { [secret]: 1 }];
  assert.doesNotMatch(tableText(gridOf(records, { mask }), plain(30)), /hunter2/);
});

test("types have different colours if colours are on", () => {
  const records = [parseValue('{"a":1,"b":"x","c":null,"d":[],"e":false}')];
  const text = tableText(gridOf(records, {}), { width: 80, color: true });
  const row = text.split("\n")[1];
  assert.equal(row, "\u001b[36m1\u001b[0m  x  \u001b[2mnull\u001b[0m  \u001b[35m[]\u001b[0m  \u001b[33mfalse\u001b[0m");
  assert.doesNotMatch(tableText(gridOf(records, {}), plain(80)), /\u001b/);
});

test("no line is wider than the terminal, no number is cut, and dropped columns are reported", () => {
  const random = createRandom(11);
  const texts = ["", "a", "山の名前", "x".repeat(300), "two words here", "🍁"];
  const value = (): Value => {
    const kind = random.below(4);
    if (kind === 0) return random.below(1_000_000_000);
    if (kind === 1) return random.pick(texts);
    return kind === 2 ? { a: random.pick(texts), b: [1, 2, 3] } : null;
  };
  for (let round = 0; round < 300; round += 1) {
    const names = Array.from(
      { length: random.between(1, 12) },
      (_, index) => `${random.pick(["id", "a long name", "名前"])}${index}`,
    );
    const records = Array.from({ length: random.between(1, 5) }, () =>
      Object.fromEntries(names.map((name) => [name, value()])),
    );
    const width = random.between(20, 120);
    const text = tableText(gridOf(records, {}), plain(width));
    const [last = "", ...lines] = text.trimEnd().split("\n").reverse();
    const dropped = /^\(no room for (.*): choose columns with --columns\)$/.exec(last)?.[1]?.split(", ") ?? [];
    const table = dropped.length === 0 ? [last, ...lines] : lines;
    for (const line of table) assert.ok(columnsOf(line) <= width, `${width}: ${line}`);
    const kept = names.filter((name) => !dropped.includes(name));
    assert.ok(kept.length > 0);
    for (const record of records) {
      for (const name of kept)
        if (typeof record[name] === "number") assert.ok(text.includes(String(record[name])), text);
    }
  }
});
