/*
 * Random JSON documents, the same for the same seed. Their text uses everything that the grammar allows: white space everywhere,
 * numbers of all forms, escapes, escaped lone surrogates, astral characters, deep nesting.
 */

import { createRandom } from "../helpers/random.ts";

/** Returns a whole number from 0 to `below` - 1. */
export type Random = (below: number) => number;

export function randomFrom(seed: number): Random {
  return createRandom(seed).below;
}

export function pick<T>(random: Random, list: readonly [T, ...T[]]): T {
  return list[random(list.length)] ?? list[0];
}

export interface Shape {
  /** True if no object has a key twice. */
  readonly distinctKeys: boolean;
  /** Greatest depth of the documents. */
  readonly depth: number;
}

export function randomText(random: Random, shape: Shape): string {
  return white(random) + valueText(random, shape, shape.depth) + white(random);
}

function valueText(random: Random, shape: Shape, depth: number): string {
  const kind = random(depth > 0 ? 10 : 6);
  if (kind < 2) return stringText(random);
  if (kind < 4) return numberText(random);
  if (kind < 6) return pick(random, ["true", "false", "null", '""', "0", "[]", "{}", "[ ]", "{\n}"]);
  const parts = Array.from({ length: random(6) }, (_, index) => {
    const value = white(random) + valueText(random, shape, depth - 1) + white(random);
    return kind < 8 ? value : `${white(random)}${keyText(random, shape, index)}${white(random)}:${value}`;
  });
  if (kind < 8) return `[${parts.join(",") || white(random)}]`;
  return `{${parts.join(",") || white(random)}}`;
}

const names = ["a", "b", "items", "data", "0", "1", "total", "meta", "next", "é", "", "a.b", "__proto__"] as const;

function keyText(random: Random, { distinctKeys }: Shape, index: number): string {
  const name = distinctKeys ? (names[index * 2 + random(2)] ?? "a") : pick(random, names);
  const escaped = [...name].map((character) => (random(8) === 0 ? unicodeEscape(character) : character)).join("");
  return `"${escaped}${random(20) === 0 && !distinctKeys ? characters(random) : ""}"`;
}

function unicodeEscape(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, "0");
  return `\\u${code.toUpperCase()}`;
}

function stringText(random: Random): string {
  return `"${characters(random)}"`;
}

const snippets = [
  "a",
  "Z",
  " ",
  "0",
  "ž",
  "漢",
  "😀",
  "\u007f",
  "\u2028",
  "\\n",
  "\\t",
  '\\"',
  "\\\\",
  "\\/",
  "\\b",
  "\\f",
  "\\r",
  "\\u00e9",
  "\\uD83D\\uDE00",
  "\\udead",
  "\\u0000",
  "]",
  "}",
  "{",
  "[",
  ",",
  ":",
  "//",
  "sixteen bytes and more of text",
] as const;

function characters(random: Random): string {
  return Array.from({ length: random(random(4) === 0 ? 60 : 6) }, () => pick(random, snippets)).join("");
}

function numberText(random: Random): string {
  const digits = (most: number) => Array.from({ length: 1 + random(most) }, () => random(10)).join("");
  const whole = random(3) === 0 ? "0" : `${1 + random(9)}${random(2) === 0 ? "" : digits(25)}`;
  const fraction = random(3) === 0 ? `.${digits(20)}` : "";
  const exponent = random(4) === 0 ? `${pick(random, ["e", "E"])}${pick(random, ["", "+", "-"])}${digits(3)}` : "";
  return (random(3) === 0 ? "-" : "") + whole + fraction + exponent;
}

function white(random: Random): string {
  if (random(3) > 0) return "";
  return Array.from({ length: random(random(6) === 0 ? 40 : 3) }, () => pick(random, [" ", "\n", "\t", "\r"])).join("");
}

/** Returns the bytes after one or two changes. Each removes up to two bytes, and may insert one at the same place. */
export function mutate(random: Random, bytes: Buffer): Buffer {
  let result = bytes;
  for (let times = 1 + random(2); times > 0; times -= 1) {
    const at = random(result.length + 1);
    const inserted = Buffer.from([random(3) === 0 ? random(256) : pick(random, punctuation)]);
    const skipped = random(3);
    const parts = [result.subarray(0, at), random(3) === 0 ? Buffer.alloc(0) : inserted, result.subarray(at + skipped)];
    result = Buffer.concat(parts);
  }
  return result;
}

const punctuation = [...Buffer.from('{}[]:,"\\ 0-.eEtn\n\u0001x')] as [number, ...number[]];

/** Returns the bytes in pieces of random sizes. */
export function cut(random: Random, bytes: Buffer): Buffer[] {
  const most = pick(random, [1, 3, 17, 100, 1000]);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random(most);
    pieces.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return pieces;
}
