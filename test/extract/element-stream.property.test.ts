import assert from "node:assert/strict";
import { test } from "node:test";
import { watchKey } from "../../src/core/runs/page.ts";
import type { Path } from "../../src/core/values/path.ts";
import type { DocumentOptions } from "../../src/extract/document-options.ts";
import { isBeside } from "../../src/extract/element-stream.ts";
import { DataFault } from "../../src/extract/fault.ts";
import { createReader } from "../../src/extract/format/index.ts";
import { watchedIn } from "../../src/extract/records.ts";
import { type Selected, type Selection, Selector } from "../../src/extract/selection.ts";
import { forSeeds, times } from "../helpers/seeds.ts";
import { compact } from "./oracle.ts";
import { mutate, pick, type Random, randomText } from "./random.ts";

/* Compares elements that come in pieces with whole elements, for which the code is simpler and has its own tests. */

const steps = [["items"], ["a", "b"], ["b", "1"], ["0"], [], ["é"], ['"\\'], ["x", "0", "y"]] as const;
const others: readonly [Path, ...Path[]] = [
  ["id"],
  ["a", "id"],
  ["b", "0"],
  ["b", "2", "id"],
  ["x", "1"],
  ["1"],
  ["é", "id"],
];

function randomEach(random: Random): readonly Path[] {
  const lists = Array.from({ length: 1 + random(3) }, () => pick<Path>(random, steps));
  return [...lists, pick<Path>(random, [[], [], [], ["sku"], ["v", "1"]])];
}

const white = (random: Random) => pick(random, ["", "", "", " ", "\n\t", " \r\n  "]);
const any = (random: Random) => randomText(random, { distinctKeys: random(2) === 0, depth: random(3) });
const exact = [
  "9007199254740993",
  "-0.0",
  "1E+400",
  '"\\ud83d"',
  '"\\u00e9é😀"',
  '"]}\\\\\\",{["',
  "[]",
  "{}",
  "null",
] as const;

/** Returns a value that mostly has records at the paths. `doubled`: keys may come twice. */
function value(random: Random, [path = [], ...further]: readonly Path[], doubled: boolean): string {
  if (random(40) === 0) return randomText(random, { distinctKeys: !doubled, depth: random(3) });
  const [step, ...rest] = path;
  if (step === undefined) {
    if (further.length === 0) return random(2) === 0 ? pick(random, exact) : any(random);
    if (random(12) === 0) return pick(random, ["null", "[]", "0.00", '""', "false"]);
    const elements = Array.from({ length: random(5) }, () => value(random, further, doubled));
    return `[${elements.map((text) => white(random) + text + white(random)).join(",")}]`;
  }
  const inner = () => value(random, [rest, ...further], doubled);
  if (/^\d$/.test(step) && random(3) > 0) {
    const before = Array.from({ length: Number(step) }, () => any(random));
    return `[${[...before, inner(), ...(random(2) === 0 ? [any(random)] : [])].join(",")}]`;
  }
  const names = ["id", "z", "a", "b", "1", "é"].filter((name) => name !== step && random(3) === 0);
  const beside = names.map((name) => `${key(random, name)}${white(random)}:${any(random)}`);
  const way = random(15) === 0 ? [] : [`${key(random, step)}:${white(random)}${inner()}`];
  const again = doubled && random(3) === 0 ? [`${key(random, pick(random, [step, "id"]))}:${inner()}`] : [];
  const members = [...beside.slice(random(3)), ...way, ...beside, ...again];
  return `{${white(random)}${(doubled ? members : distinct(members)).join(`,${white(random)}`)}}`;
}

/** Returns the text of a key, perhaps with an escape. */
function key(random: Random, name: string): string {
  const text = JSON.stringify(name);
  return random(5) === 0 ? text.replace(/[a-zé]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`) : text;
}

function distinct(members: readonly string[]): readonly string[] {
  return [
    ...new Map(members.map((member) => [JSON.parse(/^"(?:[^"\\]|\\.)*"/.exec(member)?.[0] ?? ""), member])).values(),
  ];
}

/** Returns pieces of random sizes, cut between characters. */
function cutText(random: Random, text: string): Buffer[] {
  const most = pick(random, [1, 3, 20, 200]);
  const characters = [...text];
  const pieces: Buffer[] = [];
  for (let at = 0; at < characters.length; ) {
    const size = 1 + random(most);
    pieces.push(Buffer.from(characters.slice(at, at + size).join("")));
    at += size;
  }
  return pieces;
}

function together(parts: readonly Selected[]) {
  return {
    lines: Buffer.concat(parts.map(({ bytes }) => bytes)).toString(),
    records: parts.reduce((sum, { records }) => sum + records, 0),
    elements: parts.reduce((sum, { elements }) => sum + elements, 0),
    keys: parts.flatMap(({ origin }) => origin.keys),
    came: Buffer.concat(parts.map(({ origin }) => origin.lines)).toString(),
  };
}

test("an element in pieces gives the records and the values of the whole element", async () => {
  let [records, misfits, repeated, read] = [0, 0, 0, 0];
  await forSeeds(1500, ({ below: random }) => {
    const each = randomEach(random);
    const isMember = random(3) === 0;
    const doubled = random(4) === 0;
    const selection: Selection = { values: isMember, key: pick(random, [undefined, "k"]), each };
    const kept = Array.from({ length: random(4) }, () => pick(random, others)).filter((path) => isBeside(path, each));
    const longest = pick(random, [Infinity, Infinity, Infinity, 60]);
    const whole = new Selector(selection, "data", longest);
    const streamed = new Selector(selection, "data", longest);
    for (let count = 1 + random(3); count > 0; count -= 1) {
      const element = compact(value(random, each, doubled));
      const line = isMember ? `${key(random, pick(random, ["m", "é", '"']))}:${element}` : element;
      const held = whole.select(Buffer.from(`${line}\n`), isMember ? "members" : "records");
      const pieces = cutText(random, line).map((piece) => streamed.takePiece(piece, { isMember, kept, above: 7 }));
      const { selected, line: around } = streamed.endPieces();
      const [expected, found] = [together([held]), together([...pieces, selected])];
      // In pieces, the records of a list are written before a later key of the same name can replace the list.
      if (doubled && streamed.misfit !== undefined) {
        repeated += 1;
        if (streamed.misfit.includes("twice"))
          assert.match(streamed.misfit, /^element .*, which is longer than 7 bytes, has the key/);
        return;
      }
      // Values around the records may be too long, while the records are not.
      if (longest === 60 && streamed.misfit?.startsWith("the values that paging reads from") === true) return;
      assert.equal(streamed.misfit, whole.misfit, line);
      assert.deepEqual(found, expected, line);
      // In pieces, a list is seen although a later key of the same name replaces it.
      if (!doubled) assert.equal(streamed.notice, whole.notice, line);
      records += found.records;
      if (whole.misfit !== undefined) {
        misfits += 1;
        return;
      }
      assert.ok(around !== undefined);
      for (const path of kept) {
        const [mine, its] = [selected.origin.last, held.origin.last].map((last) => last && watchedIn(last, path));
        assert.deepEqual(mine, its, `${path} of ${line}`);
        if (its !== undefined) read += 1;
      }
      if (isMember)
        assert.ok(around.toString().startsWith(line.slice(0, line.indexOf(":") + 1)) || line.startsWith('"\\"'));
    }
  });
  const counts = { records, misfits, repeated, read };
  assert.ok(
    records > 1000 * times && misfits > 100 * times && repeated > 20 * times && read > 100 * times,
    JSON.stringify(counts),
  );
});

interface Read {
  readonly lines: string;
  readonly came: string;
  readonly keys: readonly string[];
  readonly last: readonly unknown[];
  readonly pieces: number;
  readonly summary: object | undefined;
  readonly error: string | undefined;
}

async function read(pieces: readonly Buffer[], options: Omit<DocumentOptions, "lines">): Promise<Read> {
  const [chunks, came, keys]: [Buffer[], Buffer[], string[]] = [[], [], []];
  let last: Buffer | undefined;
  let partial = 0;
  const reader = await createReader(
    { type: "json" },
    {
      ...options,
      lines(bytes, records, origin) {
        assert.equal(bytes.toString("latin1").split("\n").length - 1, records);
        assert.ok(origin);
        if (origin.lines.at(-1) !== 10) partial += 1;
        chunks.push(bytes);
        came.push(Buffer.from(origin.lines));
        keys.push(...origin.keys);
        last = origin.last === undefined ? last : Buffer.from(origin.last);
      },
    },
  );
  const outcome = { summary: undefined as object | undefined, error: undefined as string | undefined };
  try {
    for (const piece of pieces) reader.write(piece);
    const { selection, ...summary } = reader.end();
    outcome.summary = { ...summary, notice: selection?.notice };
  } catch (error) {
    if (!(error instanceof DataFault)) throw error;
    outcome.error = error.message;
  } finally {
    reader.close();
  }
  return {
    lines: Buffer.concat(chunks).toString(),
    came: Buffer.concat(came).toString(),
    keys,
    last: last === undefined ? [] : (options.elementPaths ?? []).map((path) => last && watchedIn(last, path)),
    pieces: partial,
    ...outcome,
  };
}

test("an element beyond a limit is refused before its end, and the records before it are written", async () => {
  const options = {
    ...{ dataField: ["data"], selection: { values: false, key: undefined, each: [["items"], []] } },
    ...{ elementPaths: [["n"]], watch: [], evidence: false, maxRecordBytes: 1000, maxHeldElementBytes: 0 },
  };
  for (const [beginning, message] of [
    ['{"a":"', 'element 2 of "items" of element 1 of "data" is longer than 1000 bytes; --max-record-bytes allows more'],
    [
      '2],"n":"',
      'the values that paging reads from element 1 of "data" are longer than 1000 bytes; --max-record-bytes allows more',
    ],
  ]) {
    const endless = Array.from({ length: 40 }, () => Buffer.alloc(50_000, "x"));
    const { lines, error } = await read([Buffer.from(`{"data":[{"items":[{"id":1},${beginning}`), ...endless], options);
    assert.deepEqual([lines, error], [beginning?.startsWith("2") ? '{"id":1}\n2\n' : '{"id":1}\n', message]);
  }
});

test("a watched value is read from the right element after elements that came in pieces", async () => {
  const long = "x".repeat(700_000);
  const elements = [
    `{"items":[1],"z":"${long}"}`,
    '{"items":[2]}',
    `{"items":[3],"id":7,"z":"${long}"}`,
    '{"items":[4]}',
  ];
  const { pieces, lines, summary } = await read([Buffer.from(`[${elements}]`)], {
    ...{ dataField: [], selection: { values: false, key: undefined, each: [["items"], []] } },
    ...{ watch: [["2", "id"]], evidence: false, maxHeldElementBytes: 0 },
  });
  assert.ok(pieces > 2 && summary !== undefined && "watched" in summary);
  assert.equal(lines, "1\n2\n3\n4\n");
  const value = { type: "number", text: "7", empty: false };
  assert.deepEqual(summary.watched, new Map([[watchKey(["2", "id"]), value]]));
});

/** Returns the text with long strings in some places. */
function withLongStrings(random: Random, text: string): string {
  const long = () => pick(random, ["x", "é", "😀", '\\"', "\\\\", "漢a"]).repeat(30_000 + random(200_000));
  return text.replaceAll(/"(sku|v|z|id)":/g, (member) =>
    random(2) === 0 ? `"z${random(1000)}":"${long()}",${member}` : member,
  );
}

test("a document with large elements gives the same lines in pieces and whole, wherever it is cut", async () => {
  let [streamed, faults] = [0, 0];
  await forSeeds(60, async ({ below: random }) => {
    const each = pick<readonly Path[]>(random, [
      [["items"], []],
      [["items"], ["sku"]],
      [["a", "b"], [], ["v"]],
      [["b", "1"], []],
    ]);
    const kind = pick(random, ["records", "records", "members", "record"]);
    const elements = Array.from({ length: kind === "record" ? 1 : 1 + random(4) }, () =>
      withLongStrings(random, value(random, each, false)),
    );
    const members = elements.map((text, index) => `${white(random)}"k${index}"${white(random)}:${text}`);
    const data =
      kind === "record" ? elements.join("") : kind === "members" ? `{${members}}` : `[${elements}${white(random)}]`;
    const isRoot = random(3) === 0;
    const text = isRoot ? data : `{"n":1,"data":${white(random)}${data},"next":"t"}`;
    const bytes = Buffer.from(text);
    // Bytes that are not UTF-8, and documents that are broken.
    if (random(4) === 0)
      for (let count = 20; count > 0; count -= 1) {
        const at = random(bytes.length);
        if ((bytes[at] ?? 0) >= 0x80) bytes[at] = 0x80 + random(0x80);
      }
    const body = random(6) === 0 ? mutate(random, bytes) : bytes;
    const most = pick(random, [1000, 65_536, 65_536, 1_000_000]);
    const pieces: Buffer[] = [];
    for (let at = 0; at < body.length; at += most) pieces.push(body.subarray(at, at + most));
    const dataField = isRoot ? [] : ["data"];
    const options = {
      dataField,
      selection: { values: kind === "members", key: kind === "members" ? "k" : undefined, each },
      elementPaths: random(2) === 0 ? [["id"], ["z"]] : [],
      watch: [
        ["next"],
        [...dataField, ...pick<Path>(random, [["id"], ["0", "id"], ["1", "z"], ["k0", "id"], ["k1", "z"]])],
      ],
      evidence: false,
    };
    const held = await read(pieces, { ...options, maxHeldElementBytes: Infinity });
    const inPieces = await read(pieces, { ...options, maxHeldElementBytes: 0 });
    assert.equal(held.pieces, 0);
    if (inPieces.pieces > 0) streamed += 1;
    if (held.error !== undefined) {
      faults += 1;
      assert.equal(inPieces.error, held.error);
      assert.ok(inPieces.lines.startsWith(held.lines));
      return;
    }
    if (held.summary !== undefined && "misfit" in held.summary && held.summary.misfit !== undefined) {
      // The job fails, so nothing asks for the values of this element.
      const watched = new Map();
      const [mine, its] = [inPieces, held].map(({ lines, summary }) => ({ lines, ...summary, watched }));
      assert.deepEqual(mine, its);
      return;
    }
    assert.deepEqual({ ...inPieces, pieces: 0 }, held);
  });
  assert.ok(streamed > 15 * times && faults > 2 * times, `${streamed} streamed, ${faults} with faults`);
});
