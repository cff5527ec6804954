import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { parse } from "csv-parse/sync";
import { CutBody, DataFault } from "../../../src/extract/fault.ts";
import type { FormatOptions } from "../../../src/generated/configuration.ts";
import { forSeeds } from "../../helpers/seeds.ts";
import { cutAtRandom, readAs } from "./reading.ts";

const read = (text: string, format: Partial<FormatOptions> = {}, options = {}) =>
  readAs({ type: "csv", ...format }, [Buffer.from(text)], options);

test("random tables in random dialects give exact texts, wherever they are cut", async () => {
  await forSeeds(200, async (random, seed) => {
    const pick: typeof random.pick = (items) => random.pick(items);
    const type = pick(["csv", "tsv"] as const);
    const delimiter = type === "tsv" ? "\t" : pick([",", ";", "|", "::"]);
    const quote = pick(['"', "'"]);
    const lineEnd = pick(["\n", "\r\n"]);
    const text = (): string =>
      Array.from({ length: random.below(6) }, () =>
        pick(["a", "007", "1.10", " ", "é", "𝄞", quote, delimiter, "\n", "\r\n", "\\", "#", "\u0001"]),
      ).join("");
    const columns = 1 + random.below(4);
    const names = Array.from({ length: columns }, (_, index) => `${index}${pick(["", "x y", "é", '"', "\n"])}`);
    const rows = Array.from({ length: random.below(12) }, () => Array.from({ length: columns }, text));
    const written = (value: string): string =>
      random.oneIn(3) ||
      value.includes(delimiter) ||
      /[\r\n]/.test(value) ||
      value.includes(quote) ||
      value.startsWith("#")
        ? quote + value.replaceAll(quote, quote + quote) + quote
        : value;
    const skipped = pick([0, 0, 2]);
    const hasHeader = !random.oneIn(3);
    const lines = [...(hasHeader ? [names] : []), ...rows].map((row) => row.map(written).join(delimiter));
    const body = [...Array.from({ length: skipped }, () => "to be skipped"), ...lines].join(lineEnd);
    // In a table of one column without a header and rows, a line break would be a row.
    const whole = random.oneIn(2) || rows.length + Number(hasHeader) === 0 ? body : body + lineEnd;
    const format: FormatOptions = {
      type,
      ...(type === "csv" ? { delimiter } : {}),
      quote,
      skipLines: skipped,
      ...(hasHeader ? {} : { header: names }),
    };
    // In a table of one column, an empty value at the end is a row only if a line break follows.
    const isLastEmpty = rows.length > 0 && columns === 1 && lines.at(-1) === "" && whole === body;
    const expected = (isLastEmpty ? rows.slice(0, -1) : rows).map(
      (row) => `${JSON.stringify(Object.fromEntries(row.map((value, index) => [names[index], value])))}\n`,
    );
    const { output, summary } = await readAs(format, cutAtRandom(Buffer.from(whole), random, 1 + (seed % 30)));
    const keys = (line: string): string => JSON.stringify(Object.entries(JSON.parse(line)));
    assert.deepEqual(output.split("\n").slice(0, -1).map(keys), expected.map(keys), `seed ${seed}`);
    assert.equal(summary.records, expected.length);
  });
});

test("an escape makes a quote, a delimiter, a line break or another escape part of the field, wherever the text is cut", async () => {
  await forSeeds(200, async (random, seed) => {
    const pick: typeof random.pick = (items) => random.pick(items);
    const sign = pick(["\\", "!"]);
    const delimiter = pick([",", "::"]);
    const quote = pick(['"', false] as const);
    const marks = [delimiter, sign, "\n", "\r\n", ...(quote === false ? [] : [quote])];
    const text = (): string =>
      Array.from({ length: random.below(6) }, () => pick(["a", "é", "n", "\\n", ...marks])).join("");
    const rows = Array.from({ length: random.below(8) }, () => [text(), text()]);
    const escaped = (value: string): string => {
      const pattern = marks.map((mark) => mark.replace(/[\\!"]/g, "\\$&")).sort((a, b) => b.length - a.length);
      return value.replace(new RegExp(pattern.join("|"), "g"), (mark) => sign + mark);
    };
    const written = (value: string): string =>
      quote !== false && random.oneIn(2) ? quote + escaped(value) + quote : escaped(value);
    const body = rows.map((row) => `${row.map(written).join(delimiter)}\n`).join("");
    const format: FormatOptions = { type: "csv", delimiter, quote, escape: sign, header: ["a", "b"] };
    const { output } = await readAs(format, cutAtRandom(Buffer.from(body), random, 1 + (seed % 9)));
    const expected = rows.map(([a, b]) => `${JSON.stringify({ a, b })}\n`).join("");
    assert.equal(output, expected, `seed ${seed}: ${JSON.stringify(body)}`);
  });
});

test("an escape before any other character is an ordinary character, and quotes may still be doubled", async () => {
  const { output } = await read('a,b\n"x\\y""z",C:\\d\n"\\\\","\\""\n', { escape: "\\" });
  assert.equal(output, '{"a":"x\\\\y\\"z","b":"C:\\\\d"}\n{"a":"\\\\","b":"\\""}\n');
  const plain = await read("a,b\n1,\\\n", {});
  assert.equal(plain.output, '{"a":"1","b":"\\\\"}\n');
});

/** Returns csv-parse's rows of a text; undefined if it refuses the text. */
function parsed(text: string, { delimiter, quote, comment }: FormatOptions): string[][] | undefined {
  const dialect = { quote: quote === false ? null : (quote ?? null), escape: quote === false ? null : (quote ?? null) };
  try {
    return parse(text, {
      ...dialect,
      delimiter: delimiter ?? ",",
      comment: comment ?? null,
      comment_no_infix: true,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
    });
  } catch {
    return undefined;
  }
}

test("hostile texts are read or refused as csv-parse reads or refuses them, wherever they are cut", async () => {
  let refused = 0;
  await forSeeds(1500, async (random) => {
    const format: FormatOptions = {
      type: "csv",
      delimiter: random.pick([",", ";", "\t", "::", "é"]),
      quote: random.pick(['"', "'", "«", false]),
      ...(random.oneIn(3) ? { comment: random.pick(["#", "//"]) } : {}),
    };
    const { delimiter = "", quote = false, comment = "#" } = format;
    const marks = [
      delimiter,
      delimiter,
      quote === false ? '"' : quote,
      quote === false ? '"' : quote,
      "\n",
      "\r\n",
      "\r",
    ];
    const others = ["a", "b", " ", ":", "Â", "Ã", "/", "\\", '"', "\u0001", comment];
    const text = Array.from({ length: random.below(25) }, () => random.pick(random.oneIn(2) ? marks : others)).join("");
    // csv-parse treats a comment after a closing quote as a part of the field.
    if (quote !== false && text.includes(quote + comment)) return;
    const rows = parsed(text, format);
    const width = Math.max(1, ...(rows ?? []).map(({ length }) => length));
    // A table whose rows have different lengths is refused. In a table of several columns, blank lines do not count as rows.
    const isEven = rows?.every((row) => row.length === width || (row.length === 1 && row[0] === "" && width > 1));
    const names = Array.from({ length: width }, (_, index) => `c${index}`);
    const read = await readAs({ ...format, header: names }, cutAtRandom(Buffer.from(text), random, 6)).catch(
      (error: unknown) => error as DataFault,
    );
    const input = JSON.stringify({ text, format });
    if (rows === undefined) refused += 1;
    if (rows === undefined || isEven !== true) {
      assert.ok(read instanceof DataFault, input);
      return;
    }
    assert.ok(!(read instanceof Error), `${input}: ${String(read)}`);
    const expected = rows.filter((row) => row.length === width);
    assert.equal(
      read.output,
      expected
        .map((row) => `{${row.map((value, index) => `"c${index}":${JSON.stringify(value)}`).join(",")}}\n`)
        .join(""),
      input,
    );
  });
  assert.ok(refused > 0);
});

describe("rows of a table", () => {
  const rows: readonly (readonly [name: string, text: string, format: Partial<FormatOptions>, output: string])[] = [
    ["values stay texts", "a,b\n007,1.10\n , x \n", {}, '{"a":"007","b":"1.10"}\n{"a":" ","b":" x "}\n'],
    ["a header without rows gives no lines", "a,b\n", {}, ""],
    ["blank lines between rows are skipped", "a,b\n\n1,2\n\n", {}, '{"a":"1","b":"2"}\n'],
    ["in a table of one column a blank line is an empty value", "a\n\n1\n", {}, '{"a":""}\n{"a":"1"}\n'],
    ["comments are only at the beginning of a line", "#x\na,b\n#y\n1,#2\n", { comment: "#" }, '{"a":"1","b":"#2"}\n'],
    ["quotes may be off", 'a,b\n"1,2"\n', { quote: false }, '{"a":"\\"1","b":"2\\""}\n'],
    ["names that are numbers keep their order", "2,1\nx,y\n", {}, '{"2":"x","1":"y"}\n'],
    ["skipped lines may have any text", '#"x" is\n\n"a,b\na,b\n1,2', { skipLines: 3 }, '{"a":"1","b":"2"}\n'],
    ["a carriage return ends a line", "a,b\r1,2\r", {}, '{"a":"1","b":"2"}\n'],
    ["the last field may be empty without a line end", "a,b\n1,", {}, '{"a":"1","b":""}\n'],
    ["a line break in quotes belongs to the field", 'a,b\n"1\r\n2",3\r\n', {}, '{"a":"1\\r\\n2","b":"3"}\n'],
  ];
  for (const [name, text, format, output] of rows) {
    it(name, async () => assert.equal((await read(text, format)).output, output));
  }
});

describe("a table that cannot be read is an error with its line", () => {
  const rows: readonly (readonly [text: string, message: RegExp])[] = [
    ["a,b\n1,2\n3\n", /^line 3 has 1 field, but the header has 2$/],
    ["a,b\n1,2,3\n", /^line 2 has 3 fields, but the header has 2$/],
    ['a,b\n"1"x,2\n', /^line 2 cannot be read: a closing quote is not followed by/],
    ['a,b\n1"x,2\n', /^line 2 cannot be read: there is a quote inside an unquoted field/],
    ['a,b\n"1\n2\n3"\n', /^line 2 has 1 field/],
    ['a,b\n"1\r\n2",3\n4\n', /^line 4 has 1 field/],
    ["a,a\n", /^the header in line 1 has the name "a" twice; "header" can give the names$/],
    ["a,,b\n", /^the header in line 1 has no name for column 2/],
  ];
  for (const [text, message] of rows) {
    it(`${JSON.stringify(text)} is refused`, async () => {
      const failure = await read(text).catch((error: unknown) => error);
      assert.ok(failure instanceof DataFault && !(failure instanceof CutBody));
      assert.match(failure.message, message);
    });
  }
  // Otherwise each line would be a row of one field, and a page of one line would have no rows and be "complete".
  it("a page of HTML is recognised with and without a header row, even if it comes letter by letter", async () => {
    const pages = [
      "<html><body>Log in</body></html>",
      "\n <!DOCTYPE html>\n<html>\n<body>\n",
      "<HTML>",
      "<?xml version='1.0'?>\n<a>",
    ];
    for (const [index, page] of pages.entries()) {
      const format = { type: "csv" as const, ...(index % 2 === 0 ? {} : { header: ["x"], skipLines: 1 }) };
      const pieces = Array.from(page, (letter) => Buffer.from(letter));
      await assert.rejects(
        readAs(format, pieces),
        /^DataFault: the response is not a table: the body begins with "/,
        page,
      );
    }
    assert.equal((await read("<htmlid>,<x>\n1,2\n")).output, '{"<htmlid>":"1","<x>":"2"}\n');
  });
  it("a quote that is never closed is a cut body", () => assert.rejects(read('a,b\n"1,2\n3,4\n'), CutBody));
  it("a row longer than the limit for a record is refused", () =>
    assert.rejects(
      read(`a\n"${"x".repeat(5000)}`, {}, { maxRecordBytes: 1000 }),
      /^DataFault: line 2: a record is longer/,
    ));
  it("a header row longer than the limit for a key is refused", () =>
    assert.rejects(
      read(`${"x".repeat(5000)}\n1\n`, {}, { maxStringBytes: 1000 }),
      /the header in line 1 is longer than/,
    ));
});

test("bytes that are not UTF-8 are reported, and characters at the end of a chunk stay whole", async () => {
  const bytes = Buffer.from("a,b\né𝄞,€\n");
  for (let at = 0; at <= bytes.length; at += 1) {
    const { output, summary } = await readAs({ type: "csv" }, [bytes.subarray(0, at), bytes.subarray(at)]);
    assert.deepEqual([output, summary.invalidUtf8], ['{"a":"é𝄞","b":"€"}\n', false]);
  }
  for (const broken of [Buffer.of(0xff), Buffer.of(0xe2, 0x82), Buffer.of(0x80)]) {
    for (const behind of ["x\n", ""]) {
      const { summary } = await readAs({ type: "csv" }, [Buffer.from("a\n"), broken, Buffer.from(behind)]);
      assert.equal(summary.invalidUtf8, true);
    }
  }
});

test("a body that begins like a file of another kind, or contains a NUL, is not a table", async () => {
  const zeros = "\0".repeat(64);
  for (const body of ["%PDF-1.7\na,b", "\x89PNG\r\n", "\x1f\x8b\x08", "PK\x03\x04", zeros, "a,b\0\n1,2\n"]) {
    const attempt = readAs({ type: "csv", quote: false }, [Buffer.from(body, "latin1")]);
    await assert.rejects(attempt, (error) => error instanceof DataFault && /not a table/.test(error.message), body);
  }
});

test("a header row without end is refused when it exceeds the limit for names", async () => {
  for (const text of ["name,", ",", "name", '"']) {
    let sent = 0;
    function* endless(): Generator<Buffer> {
      for (; sent < 100; sent += 1) yield Buffer.from(text.repeat(10_000));
    }
    const attempt = readAs({ type: "csv" }, endless(), { maxStringBytes: 20_000 });
    await assert.rejects(attempt, /the header in line 1 is longer than 20000 bytes/);
    assert.ok(sent < 3, String(sent));
  }
});
