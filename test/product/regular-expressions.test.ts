import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { transformSync } from "esbuild";
import { tokens } from "../../src/expression/php/strtotime-tokens.ts";
import { wordsOf } from "../../src/knowledge/words.ts";
import { cpuTime } from "../helpers/cpu-time.ts";

/*
 * Every regular expression of src takes time that is linear in its text, unless the text is bounded. Each is found in the source
 * and is fed with its own worst texts: repetitions of the characters and of the beginnings of a text that it looks for.
 */

/** Regular expressions whose text is bounded. They need not be linear. */
const bounded: ReadonlyMap<string, string> = new Map([
  ["src/report/words.ts", "the digits of one number"],
  ["src/report/report-page.ts", "the template of the report, which is a file of spile"],
]);

/** Files that assemble regular expressions. */
const assembled: ReadonlyMap<string, string> = new Map([
  ["src/authoring/airbyte/jinja-tokens.ts", "a copy of a literal"],
  ["src/core/files/pending-file.ts", "the code of a system error, in its message"],
  ["src/expression/php/strtotime-tokens.ts", "tested below"],
  ["src/knowledge/words.ts", "a name of at most 80 characters, tested below"],
]);

interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

const literal =
  /(?<=[(,=>:[!&|?{};\n]\s*|\breturn )\/(?![*/])((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g;
const constructed = /\bnew RegExp\((?:"((?:[^"\\]|\\.)*)", "([a-z]*)"\))?/g;

/** Returns the regular expressions in the code of a file. */
function patternsOf(file: string): readonly Pattern[] {
  const code = readFileSync(file, "utf8");
  const { code: script } = transformSync(code, { loader: file.endsWith(".ts") ? "ts" : "js", target: "esnext" });
  const literals = [...script.matchAll(literal)].map(([, source = "", flags = ""]) => ({ file, source, flags }));
  const others = [...script.matchAll(constructed)].flatMap(([, text, flags = ""]) => {
    if (text !== undefined) return [{ file, source: String(JSON.parse(`"${text}"`)), flags }];
    assert.ok(assembled.has(file), `${file} assembles a regular expression: test it, and add the file to "assembled"`);
    return [];
  });
  return [...literals.filter(({ source, flags }) => isPattern(source, flags)), ...others];
}

/** Returns whether text is a regular expression. Some texts that look like one are parts of a string. */
function isPattern(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) !== undefined;
  } catch {
    return false;
  }
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  s: " ",
  S: "a",
  w: "a",
  W: "-",
  d: "0",
  D: "a",
};

/** Returns a character that an escape or a class matches, or a probable one. */
function sampleOf(atom: string): string {
  if (atom.startsWith("[^")) return "x";
  const inside = atom.replace(/^\[/, "");
  if (/^\\[ux]/.test(inside)) return String.fromCodePoint(Number.parseInt(inside.slice(2).replace("{", ""), 16));
  return inside.startsWith("\\") ? (escapes[inside[1] ?? ""] ?? inside[1] ?? "") : (inside[0] ?? "");
}

const atom =
  /\\(?:u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[pP]\{[^}]*\}|k<\w+>|.)|\[(?:[^\]\\]|\\.)+\]|\(\?(?:[:=!]|<[=!]|<\w+>)|[*+?]|\{\d+(?:,\d*)?\}|[\s\S]/g;

/** Returns texts for which a pattern may take long if they are repeated: its characters, their pairs, and the beginnings of what it matches. */
function piecesOf(source: string): readonly string[] {
  const atoms = [...source.matchAll(atom)].map(([text]) => text);
  const characters = new Set(["a", "0", " ", '"', "\\"]);
  const beginnings = new Set<string>();
  let beginning = "";
  for (const text of atoms) {
    if (text === "|") beginning = "";
    if (/^(?:[()^$|*+?]|\(\?.*|\{\d.*\}|\\[bBpPk\d].*)$/s.test(text)) continue;
    const sample = text === "." ? "x" : sampleOf(text);
    characters.add(sample);
    beginning += sample;
    beginnings.add(beginning);
  }
  const list = [...characters].slice(0, 16);
  return [...beginnings, ...list, ...list.flatMap((one) => list.map((other) => one + other))];
}

/**
 * Matches a remainder that begins with a group or with a repeated atom. Any other remainder takes no longer than the
 * one after its first atom.
 */
const beginsRepeated = /^(?:\(\?:)*(?:\((?!\?[:!=<]\))|(?:\\.|\[(?:[^\]\\]|\\.)*\]|[^\\[*+?{(])(?:[*+]|\{\d+,))/;

/** Returns a regular expression, and those of its remainders that may take long, which match from the beginning of a text. */
function expressionsOf({ source, flags }: Pattern): readonly RegExp[] {
  const atoms = [...source.matchAll(atom)].map(([text]) => text);
  const sticky = `${flags.replace(/[gy]/g, "")}y`;
  const groups: string[] = [];
  const expressions = [new RegExp(source, flags.replace("g", ""))];
  for (const [index, text] of atoms.entries()) {
    if (text.startsWith("(")) groups.push(text);
    else if (text === ")") groups.pop();
    const isInLookaround = groups.some((group) => /[=!]$/.test(group));
    const remainder = remainderOf(atoms.slice(index + 1));
    if (!isInLookaround && beginsRepeated.test(remainder) && isPattern(remainder, sticky))
      expressions.push(new RegExp(remainder, sticky));
  }
  return expressions;
}

/** Returns the rest of a pattern, in which a group that began earlier is not repeated. */
function remainderOf(atoms: readonly string[]): string {
  let depth = 0;
  let missing = 0;
  let rest = "";
  let isEnd = false;
  for (const text of atoms) {
    if (isEnd && /^(?:[*+?]|\{\d.*\})$/.test(text)) continue;
    rest += text;
    isEnd = text === ")" && depth === 0;
    if (isEnd) missing += 1;
    else if (text === ")") depth -= 1;
    else if (text.startsWith("(")) depth += 1;
  }
  return "(?:".repeat(missing) + rest;
}

const length = 6000;
/** A pattern that is linear takes less than a tenth of a millisecond, one that is not linear tens of milliseconds. */
const limit = 5;

/** Returns the milliseconds that a regular expression takes for a text. */
function timeOf(expression: RegExp, text: string): number {
  const began = performance.now();
  expression.lastIndex = 0;
  expression.exec(text);
  return performance.now() - began;
}

/** Returns the repeated text for which a regular expression is not linear; undefined if none is found. */
function worstOf(pattern: Pattern): string | undefined {
  const pieces = piecesOf(pattern.source);
  for (const expression of expressionsOf(pattern)) {
    for (const piece of pieces) {
      for (const end of ["\u0000", ""]) {
        const text = piece.repeat(length / piece.length) + end;
        const isSlow = [1, 2, 3, 4].every(() => timeOf(expression, text) > limit);
        if (isSlow) return `/${expression.source}/ for ${JSON.stringify(piece)}`;
      }
    }
  }
  return undefined;
}

test("every regular expression of src takes linear time, unless its text is bounded", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:ts|js)$/.test(file) && !file.includes("assembly/"))
    .map((file) => `src/${file}`);
  const literals = files.flatMap((file) => (bounded.has(file) ? [] : patternsOf(file)));
  const times = tokens.map(({ pattern: { source, flags } }) => ({ file: "strtotime-tokens.ts", source, flags }));
  const patterns = new Map([...literals, ...times].map((pattern) => [`${pattern.source}/${pattern.flags}`, pattern]));
  assert.ok(patterns.size > 500);
  const slow = [...patterns.values()].flatMap((pattern) => {
    const worst = /[*+]|,\}/.test(pattern.source) ? worstOf(pattern) : undefined;
    return worst === undefined ? [] : [`${pattern.file}: ${worst}`];
  });
  assert.deepEqual(slow, []);
});

test("the words of any name are found in linear time", () => {
  const began = cpuTime();
  for (const piece of ["is", "at", "no", "page", "s", "ids", "docs", "nos", "atis", "hits", "starts", "nooffset"]) {
    wordsOf(`${piece.repeat(80).slice(0, 79)}~`);
    wordsOf(`${piece.repeat(80).slice(0, 79)}q`);
  }
  assert.ok(cpuTime() - began < 2000);
});
