import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { CutBody, DataFault } from "../../../src/extract/fault.ts";
import { forSeeds } from "../../helpers/seeds.ts";
import { cutAtRandom, readAs } from "./reading.ts";

const ndjson = { type: "ndjson" } as const;
const read = (text: string, options = {}) => readAs(ndjson, [Buffer.from(text)], options);

test("random values with white space, blank lines and record separators (U+001E) are read, wherever they are cut", async () => {
  await forSeeds(200, async (random, seed) => {
    const pick: typeof random.pick = (items) => random.pick(items);
    const value = (depth: number): string => {
      const kind = random.below(4);
      if (depth === 0 || kind < 2) {
        return pick([
          "1",
          "-0",
          "1.10",
          "1e400",
          "13911860366432393",
          "true",
          "null",
          '""',
          '"a\\nb"',
          '"é\\u0041\\""',
        ]);
      }
      const items = Array.from({ length: random.below(4) }, () => value(depth - 1));
      return kind < 3 ? `[${items}]` : `{${items.map((item, index) => `"k${index}":${item}`)}}`;
    };
    const records = Array.from({ length: random.below(30) }, () => value(3));
    let text = random.oneIn(5) ? pick(["\n", "\r\n", "\u001e", "  "]) : "";
    for (const [index, record] of records.entries()) {
      const spaced = record.replace(/(?<=[\w"\]}])(?=[,\]}])/g, () => (random.oneIn(10) ? " " : ""));
      const mark = random.oneIn(10) ? "\u001e" : "";
      const isLast = index === records.length - 1;
      const end = isLast && random.oneIn(2) ? pick(["", " "]) : pick(["\n", "\r\n", " \n", "\n\n", "\n \n", "\t\r\n"]);
      text += mark + pick(["", "", " "]) + spaced + end;
    }
    const { output, summary } = await readAs(ndjson, cutAtRandom(Buffer.from(text), random, 1 + (seed % 40)));
    assert.equal(output, records.map((record) => `${record}\n`).join(""), `seed ${seed}`);
    assert.equal(summary.empty, records.length === 0);
  });
});

describe("invalid NDJSON is a data error", () => {
  const rows: readonly (readonly [text: string, message: RegExp])[] = [
    ["1 2\n", /unexpected "2" at byte 2 in line 1/],
    ['{"a":1}{"a":2}\n', /unexpected "\{" at byte 7/],
    ['{"a":1},\n{"a":2}\n', /unexpected "," at byte 7/],
    ["1\n\n[1}\n", /unexpected "\}" at byte 5 in line 2/],
    ["1\nnope\n", /unexpected "o" at byte 3/],
    ["<html>\n", /unexpected "<" at byte 0/],
    ["01\n", /unexpected "1" at byte 1/],
    ['"a\nb"\n', /unexpected byte 0x0a at byte 2/],
  ];
  for (const [text, message] of rows) {
    it(`${JSON.stringify(text)} is refused`, async () => {
      const failure = await read(text).catch((error: unknown) => error);
      assert.ok(failure instanceof DataFault && !(failure instanceof CutBody));
      assert.match(failure.message, message);
    });
  }
});

test("a cut anywhere in the last line is noticed", async () => {
  const whole = '{"a":[1,"x\\u00e9",null]}\n[true,{"b":{}}]\n"end"\n';
  const ends = new Set([...whole].flatMap((character, at) => (character === "\n" ? [at, at + 1] : [])));
  for (let length = 0; length <= whole.length; length += 1) {
    const attempt = read(whole.slice(0, length));
    if (length === 0 || ends.has(length)) await attempt;
    else await assert.rejects(attempt, CutBody, `cut at ${length}`);
  }
});

test("a line that nests too deep or is too long is refused", async () => {
  await assert.rejects(read("[[[1]]]\n", { maxDepth: 2 }), /deeper than 2 levels/);
  await assert.rejects(read(`"${"x".repeat(100)}"\n`, { maxRecordBytes: 50 }), /longer than 50 bytes/);
});

describe("the data field is read in each line", () => {
  const rows: readonly (readonly [text: string, output: string, found: boolean])[] = [
    ['{"d":{"r":[1,{"a":2}]}}\n{"d":{"r":[]}}\n{"d":{"r":{"b":3}}}\n', '1\n{"a":2}\n{"b":3}\n', true],
    ['{"d":{"r":null}}\n{"d":{"r":0}}\n', "", true],
    ['{"d":1}\n', "", false],
  ];
  for (const [text, output, found] of rows) {
    it(`${JSON.stringify(text)} gives the lines ${JSON.stringify(output)}`, async () => {
      const { output: lines, summary } = await read(text, { dataField: ["d", "r"] });
      assert.deepEqual([lines, summary.found, summary.empty], [output, found, false]);
    });
  }
});

test("bytes that are not UTF-8 become U+FFFD, and are reported", async () => {
  const { output, summary } = await readAs(ndjson, [Buffer.from('"a'), Buffer.of(0xff), Buffer.from('"\n')]);
  assert.deepEqual([output, summary.invalidUtf8], ['"a\ufffd"\n', true]);
});
