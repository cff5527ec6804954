import assert from "node:assert/strict";
import { test } from "node:test";
import type { DocumentOptions, DocumentSummary } from "../../src/extract/document-options.ts";
import { DataFault, IncompleteDocument } from "../../src/extract/fault.ts";
import { createReader } from "../../src/extract/format/index.ts";
import { forSeeds, times } from "../helpers/seeds.ts";
import { compact, isJson, readNode } from "./oracle.ts";
import { cut, mutate, pick, type Random, randomText } from "./random.ts";

/* Texts are composed of parts, so the expected result is known without parsing them. */

interface Made {
  readonly lines: string;
  readonly keys: readonly string[];
  readonly last: string | undefined;
  readonly summary: DocumentSummary;
}

async function make(
  pieces: readonly Buffer[],
  options: Partial<DocumentOptions>,
  type: "json" | "ndjson" = "json",
): Promise<Made> {
  const chunks: Buffer[] = [];
  const keys: string[] = [];
  let last: string | undefined;
  const reader = await createReader(
    { type },
    {
      dataField: undefined,
      watch: [],
      evidence: false,
      ...options,
      lines(bytes, records, origin) {
        assert.equal(bytes.toString().split("\n").length - 1, records);
        chunks.push(Buffer.from(bytes));
        keys.push(...(origin?.keys ?? []));
        last = origin?.last?.toString();
      },
    },
  );
  try {
    for (const piece of pieces) reader.write(piece);
    const summary = reader.end();
    return { lines: Buffer.concat(chunks).toString(), keys, last, summary };
  } finally {
    reader.close();
  }
}

const white = (random: Random) => pick(random, ["", "", "", " ", "\n  ", "\t\r\n", " ".repeat(70)]);
const exact = [
  "9007199254740993",
  "-0",
  "1.10",
  "1E+400",
  '"\\u00e9\\/\\ud83d"',
  '"é\\n"',
  "null",
  "[]",
  "{}",
] as const;
const value = (random: Random) =>
  random(2) === 0 ? pick(random, exact) : randomText(random, { distinctKeys: false, depth: random(4) });

/** Returns the text of a key, which may have escapes. Several calls may return the same key. */
const keyText = (random: Random) =>
  pick(random, [
    '"1"',
    '"-17"',
    '"a.b"',
    '""',
    '"caf\\u00e9"',
    '"\\"}{,:"',
    '"é😀"',
    '"__proto__"',
    `"${"k".repeat(90)}"`,
  ]);

function joined(random: Random, parts: readonly string[], [open, close]: readonly [string, string]): string {
  const spaced = parts.map((part) => white(random) + part + white(random));
  return `${open}${spaced.length === 0 ? white(random) : spaced.join(",")}${close}`;
}

const braces = ["{", "}"] as const;
const brackets = ["[", "]"] as const;

/** Returns a response with a text at some place, and the place. */
function around(random: Random, text: string): readonly [response: string, dataField: readonly string[]] {
  if (random(3) === 0) return [`${white(random)}${text}${white(random)}`, []];
  const beside = [`"other"${white(random)}:${value(random)}`, '"list":[{"a":1},{"b":2}]'].slice(random(3));
  const members = [...beside.slice(0, random(2)), `"map"${white(random)}:${white(random)}${text}`];
  return random(2) === 0
    ? [joined(random, members, braces), ["map"]]
    : [joined(random, [`"in":[0,${joined(random, members, braces)}]`], braces), ["in", "1", "map"]];
}

test("the values of random maps are the records, byte for byte, with their keys", async () => {
  await forSeeds(150, async ({ below: random }) => {
    const members = Array.from({ length: random(12) }, () => [keyText(random), value(random)] as const);
    const texts = members.map(([key, text]) => `${key}${white(random)}:${white(random)}${text}`);
    const [response, dataField] = around(random, joined(random, texts, braces));
    const selection = { values: true, key: pick(random, [undefined, "k"]), each: undefined };
    const expected = members.map(([, text]) => `${compact(text)}\n`).join("");
    const pieces = cut(random, Buffer.from(response));
    const made = await make(pieces, { dataField, selection });
    assert.equal(made.lines, expected, response);
    assert.deepEqual(made.keys, selection.key === undefined ? [] : members.map(([key]) => key));
    assert.equal(made.summary.records, members.length);
    assert.equal(made.summary.found, true);
    assert.equal(made.summary.misfit, undefined);
    const line = Buffer.from(`${compact(response)}\n${compact(response)}`);
    const lined = await make(cut(random, line), { dataField, selection }, "ndjson");
    assert.equal(lined.lines, expected + expected);
    assert.deepEqual(lined.keys, [...made.keys, ...made.keys]);
  });
});

test("the value inside each random element is the record, and the first element without it is reported", async () => {
  let misfits = 0;
  await forSeeds(150, async ({ below: random }) => {
    const inMap = random(3) === 0;
    const path = pick<readonly string[]>(random, [["node"], ["x", "y"], ["a.b", "1"], [""]]);
    const elements = Array.from({ length: random(12) }, () => {
      const text = value(random);
      const own = path.reduceRight(
        (inner, step) =>
          step === "1" ? `[0,${white(random)}${inner}]` : `{"z":1,${JSON.stringify(step)}${white(random)}:${inner}}`,
        text,
      );
      // If keys are equal, the last one counts.
      const doubled = random(4) === 0 ? own.replace('{"z":1', `{${JSON.stringify(path[0])}:"not this"`) : own;
      return random(25) === 0
        ? { element: pick(random, ["null", "7", "{}", '"node"', '{"Node":1}']) }
        : { element: doubled, text };
    });
    const texts = elements.map(({ element }) => (inMap ? `${keyText(random)}:${element}` : element));
    const [response, dataField] = around(random, joined(random, texts, inMap ? braces : brackets));
    const selection = { values: inMap, key: undefined, each: [path] };
    const wrong = elements.findIndex(({ text }) => text === undefined);
    const good = wrong < 0 ? elements : elements.slice(0, wrong);
    const expected = good.map(({ text = "" }) => `${compact(text)}\n`).join("");
    const pieces = cut(random, Buffer.from(response));
    const made = await make(pieces, { dataField, selection });
    assert.equal(made.lines, expected, response);
    assert.equal(made.last, good.length === 0 ? undefined : compact(good.at(-1)?.element ?? ""));
    assert.equal(made.summary.records, elements.length);
    if (wrong >= 0) {
      misfits += 1;
      assert.match(made.summary.misfit ?? "", new RegExp(`^element ${wrong + 1} of `));
    } else assert.equal(made.summary.misfit, undefined);
    if (dataField.length === 0 && !inMap) return;
    const lined = await make(cut(random, Buffer.from(compact(response))), { dataField, selection }, "ndjson");
    assert.equal(lined.lines, expected);
    assert.equal(lined.summary.misfit, made.summary.misfit);
  });
  assert.ok(misfits > 20, `${misfits} misfits are too few`);
});

test("a map or a list is valid exactly if JSON.parse accepts it, and one that ends too early is reported", async () => {
  let [valid, broken] = [0, 0];
  await forSeeds(600, async ({ below: random }) => {
    const text = randomText(random, { distinctKeys: false, depth: 1 + random(3) });
    const bytes = random(3) === 0 ? Buffer.from(text) : mutate(random, Buffer.from(text));
    const decoded = bytes.toString("utf8");
    if (/^[ \t\r\n]*$/.test(decoded)) return;
    const read = () =>
      make(cut(random, bytes), { dataField: [], selection: { values: true, key: "k", each: undefined } });
    if (!isJson(decoded)) {
      broken += 1;
      await assert.rejects(read, DataFault, `accepted ${JSON.stringify(decoded)}`);
      return;
    }
    const root = readNode(decoded);
    const { lines, summary } = await read();
    if (root.kind === "scalar") {
      assert.equal(lines, "");
      return;
    }
    valid += 1;
    assert.equal(lines, root.members.map(([, member]) => `${member.text}\n`).join(""), decoded);
    assert.equal(summary.misfit, undefined);
    if (random(8) > 0) return;
    const end = Buffer.from(decoded.trimEnd());
    for (let at = 1; at < end.length; at += 1) {
      const start = [Buffer.from(end.subarray(0, at))];
      if (/^[ \t\r\n]*$/.test(String(start[0]))) continue;
      const early = make(start, { dataField: [], selection: { values: true, key: undefined, each: undefined } });
      await assert.rejects(early, IncompleteDocument, String(start[0]));
    }
  });
  assert.ok(valid > 100 * times && broken > 100 * times, `${valid} valid, ${broken} broken: these are too few`);
});
