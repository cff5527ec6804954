import assert from "node:assert/strict";
import { test } from "node:test";
import type { Path } from "../../src/core/values/path.ts";
import { DataFault, IncompleteDocument } from "../../src/extract/document.ts";
import { forSeeds } from "../helpers/seeds.ts";
import { compact, expectedLines, isJson, type Node, nodeAt, readNode, readPieces } from "./oracle.ts";
import { cut, mutate, type Random, randomText } from "./random.ts";
import { withoutStacks } from "./without-stacks.ts";

/* The reader against JSON.parse and a plain reader of characters, on random documents cut at random places. */
const forDocuments = (count: number, run: (random: Random) => void): Promise<void> =>
  forSeeds(count, ({ below }) => run(below));

test("a whole response is valid exactly if JSON.parse accepts it, and its text is kept", async () => {
  let valid = 0;
  let broken = 0;
  await forDocuments(1500, (random) => {
    const text = randomText(random, { distinctKeys: false, depth: random(7) });
    const bytes = random(3) === 0 ? Buffer.from(text) : mutate(random, Buffer.from(text));
    // Bytes that are not UTF-8 become U+FFFD for both.
    const decoded = bytes.toString("utf8");
    const pieces = cut(random, bytes);
    if (/^[ \t\r\n]*$/.test(decoded)) return;
    if (isJson(decoded)) {
      valid += 1;
      const { lines, summary } = readPieces(pieces, { dataField: [] });
      assert.equal(lines, expectedLines(readNode(decoded)));
      assert.equal(summary.invalidUtf8, !Buffer.from(decoded).equals(bytes));
    } else {
      broken += 1;
      assert.throws(() => readPieces(pieces, { dataField: [] }), DataFault, `accepted ${JSON.stringify(decoded)}`);
    }
  });
  assert.ok(valid > 250 && broken > 250, `${valid} valid, ${broken} broken: the documents test nothing`);
});

test("a document with other values around its records is valid exactly if JSON.parse accepts it", async () => {
  let broken = 0;
  await forDocuments(1500, (random) => {
    const text = randomText(random, { distinctKeys: true, depth: 1 + random(5) });
    const path = randomPath(random, readNode(text));
    const watch = [randomPath(random, readNode(text)), randomPath(random, readNode(text))];
    const decoded = mutate(random, Buffer.from(text)).toString("utf8");
    const pieces = cut(random, Buffer.from(decoded));
    if (/^[ \t\r\n]*$/.test(decoded)) return;
    const read = () => readPieces(pieces, { dataField: path, watch, evidence: true });
    if (!isJson(decoded)) {
      broken += 1;
      assert.throws(read, DataFault, `accepted ${JSON.stringify(decoded)} at ${JSON.stringify(path)}`);
      return;
    }
    try {
      read();
    } catch (error) {
      // The change may have duplicated a key on the path to the records.
      assert.match(String(error), /twice/, JSON.stringify(decoded));
    }
  });
  assert.ok(broken > 250, `${broken} broken: the documents test nothing`);
});

test("records and watched values are those at their paths", async () => {
  let found = 0;
  let structures = 0;
  await forDocuments(1500, (random) => {
    const text = randomText(random, { distinctKeys: true, depth: 1 + random(6) });
    const root = readNode(text);
    const dataField = randomPath(random, root);
    const watch = [randomPath(random, root), randomPath(random, root), [...dataField, "0", "a"]];
    const { lines, summary } = readPieces(cut(random, Buffer.from(text)), { dataField, watch });
    const context = `${text} at ${JSON.stringify(dataField)}`;
    const node = nodeAt(root, dataField);
    assert.equal(lines, expectedLines(node), context);
    assert.equal(summary.found, node !== undefined, context);
    if (node !== undefined) found += 1;
    for (const path of root.kind === "scalar" ? [] : watch) {
      const watchedValue = summary.watched.get(JSON.stringify(path));
      const where = `${context}, watching ${path}`;
      const node = nodeAt(root, path);
      assert.deepEqual(
        watchedValue && { ...watchedValue, text: isStructure(node) ? "" : watchedValue.text },
        watched(node),
        where,
      );
      if (node === undefined || watchedValue === undefined || !isStructure(node)) continue;
      // The text of a watched value that contains the records is not kept.
      const leads = path.every((step, depth) => dataField[depth] === step);
      if (!leads) structures += 1;
      if (watchedValue.text === "") assert.ok(leads, where);
      else
        assert.equal(readPieces([Buffer.from(watchedValue.text)], { dataField: [] }).lines, expectedLines(node), where);
    }
  });
  assert.ok(found > 450 && structures > 70, `${found} found, ${structures} structures: the documents test nothing`);
});

test("auto-detection finds the list at the root or the only list, or the fault names all lists", async () => {
  let arrays = 0;
  await forDocuments(700, (random) => {
    const text = randomText(random, { distinctKeys: true, depth: 1 + random(4) });
    const root = readNode(text);
    const read = () => readPieces(cut(random, Buffer.from(text)), { dataField: undefined });
    const candidates = root.kind === "array" ? [root] : root.members.map(([, node]) => node).filter(isArray);
    if (root.kind === "scalar" && root.text !== "null") assert.throws(read, /"dataField": "\."/);
    else if (candidates.length > 1) assert.throws(read, /arrays at its root/);
    else {
      arrays += candidates.length;
      assert.equal(read().lines, expectedLines(candidates[0]), text);
    }
  });
  assert.ok(arrays > 100, `${arrays} arrays: the documents test nothing`);
});

test("a small document gives the same result, wherever it is cut", async () => {
  await forDocuments(60, (random) => {
    const text = randomText(random, { distinctKeys: true, depth: 3 });
    const bytes = Buffer.from(text);
    const root = readNode(text);
    const dataField = randomPath(random, root);
    const watch = [randomPath(random, root)];
    const whole = readPieces([bytes], { dataField, watch });
    assert.deepEqual(
      readPieces(
        [...bytes].map((byte) => Buffer.from([byte])),
        { dataField, watch },
      ),
      whole,
    );
    for (let at = 1; at < bytes.length; at += 1) {
      const pieces = [Buffer.from(bytes.subarray(0, at)), Buffer.from(bytes.subarray(at))];
      assert.deepEqual(readPieces(pieces, { dataField, watch }), whole, `${text} cut at ${at}`);
    }
  });
});

test("every short token is judged correctly in every kind of place, at once and byte by byte", () => {
  const tokens = shortTexts(["-", "0", "1", ".", "e", "+"], 5);
  const strings = shortTexts(["\\", "u", "0", "F", "g", '"'], 4);
  tokens.push(...strings.map((text) => `"${text}"`), ...strings.map((text) => `"\\u0a${text}"`));
  for (const literal of ["true", "false", "null"]) {
    for (let end = 0; end <= literal.length; end += 1) tokens.push(literal.slice(0, end), `${literal.slice(0, end)}x`);
  }
  let valid = 0;
  for (const token of tokens) {
    const expected = isJson(token);
    if (expected) valid += 1;
    for (const text of [`[${token}]`, `{"w":${token},"a":[]}`, `{"a":[{"k":${token}}]}`]) {
      if (expected || !isJson(text)) assert.equal(accepts(text), expected, text);
    }
  }
  assert.ok(valid > 100, `${valid} valid`);
});

test("a document that ends too early is distinguished from a broken one at every position", async () => {
  await forDocuments(120, (random) => {
    const text = randomText(random, { distinctKeys: true, depth: 4 });
    const dataField = randomPath(random, readNode(text));
    const watch = [randomPath(random, readNode(text))];
    const bytes = Buffer.from(text);
    const end = bytes.length - (text.length - text.trimEnd().length);
    for (let at = 1; at < end; at += 1) {
      const start = Buffer.from(bytes.subarray(0, at));
      if (/^[ \t\r\n]*$/.test(start.toString()) || isJson(start.toString())) continue;
      const context = `${JSON.stringify(start.toString())} at ${JSON.stringify(dataField)}`;
      assert.throws(() => readPieces([start], { dataField, watch }), IncompleteDocument, context);
    }
  });
});

test("the oracle agrees with JSON.parse", async () => {
  await forDocuments(200, (random) => {
    const text = randomText(random, { distinctKeys: false, depth: 5 });
    assert.equal(readNode(text).text, compact(text));
    assert.deepEqual(JSON.parse(readNode(text).text), JSON.parse(text));
  });
});

/** Returns all texts of up to `most` of these parts. */
function shortTexts(parts: readonly string[], most: number): string[] {
  if (most === 0) return [""];
  const shorter = shortTexts(parts, most - 1);
  return [
    ...shorter,
    ...shorter.filter((text) => text.length === most - 1).flatMap((text) => parts.map((part) => text + part)),
  ];
}

function accepts(text: string): boolean {
  const bytes = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
  const dataField = text.startsWith("{") ? ["a"] : undefined;
  const once = outcome(() => readPieces([Buffer.from(text)], { dataField, watch: [["w"]] }));
  assert.equal(
    outcome(() => readPieces(bytes, { dataField, watch: [["w"]] })),
    once,
    `${text} cut at every byte`,
  );
  return once;
}

function outcome(read: () => void): boolean {
  try {
    withoutStacks(read);
    return true;
  } catch (error) {
    assert.ok(error instanceof DataFault, String(error));
    return false;
  }
}

/** Returns a path that usually exists. */
function randomPath(random: Random, root: Node): Path {
  const path: string[] = [];
  let node = root;
  while (node.members.length > 0 && random(5) > 0) {
    const [name, member] = node.members[random(node.members.length)] ?? ["", node];
    path.push(name);
    node = member;
  }
  if (random(6) === 0) path.push("nowhere");
  return path;
}

function isArray(node: Node): boolean {
  return node.kind === "array";
}

function watched(node: Node | undefined): unknown {
  if (node === undefined) return undefined;
  if (node.kind !== "scalar") return { type: node.kind, text: "", empty: node.members.length === 0 };
  const value: unknown = JSON.parse(node.text);
  if (typeof value === "string") return { type: "string", text: value, empty: value === "" };
  return { type: value === null ? "null" : typeof value, text: node.text, empty: false };
}

function isStructure(node: ReturnType<typeof nodeAt>): boolean {
  return node !== undefined && node.kind !== "scalar";
}
