import type { Random } from "./random.ts";

/** A text with a marked range. */
export interface Marked {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** A way in which servers write a text into another one. It returns the text and the new place of the marked range. */
export type Encoding = (marked: Marked, random: Random) => Marked;

const percentByte = (byte: number, lower: boolean): string => {
  const hex = byte.toString(16).padStart(2, "0");
  return `%${lower ? hex : hex.toUpperCase()}`;
};

const percentBytes = (bytes: Iterable<number>, lower = false): string =>
  Array.from(bytes, (byte) => percentByte(byte, lower)).join("");

const unit = (character: string, write: (unit: string) => string): string =>
  Array.from({ length: character.length }, (_, index) =>
    write(character.charCodeAt(index).toString(16).padStart(4, "0")),
  ).join("");

const names: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "/": "&sol;",
  "+": "&plus;",
  "=": "&equals;",
  "%": "&percnt;",
  "\\": "&bsol;",
  é: "&eacute;",
  ž: "&#x17E;",
};

/** Encodings that write each character separately; `dialect` is the same number for a whole text. */
const characterWise: Readonly<Record<string, (character: string, dialect: number) => string>> = {
  component: (character) => encodeURIComponent(character),
  lower: (character) => encodeURIComponent(character).replace(/%../g, (hex) => hex.toLowerCase()),
  rfc3986: (character) => (/[A-Za-z0-9._~-]/.test(character) ? character : percentBytes(Buffer.from(character))),
  form: (character) => (character === " " ? "+" : new URLSearchParams([["", character]]).toString().slice(1)),
  some: (character, dialect) =>
    character === "%" || ((character.codePointAt(0) ?? 0) * 2654435761 + dialect) % 3 > 0
      ? percentBytes(Buffer.from(character), dialect % 2 === 0)
      : character,
  all: (character) => percentBytes(Buffer.from(character)),
  latin1: (character) =>
    (character.codePointAt(0) ?? 0) < 256
      ? percentBytes(Buffer.from(character, "latin1"))
      : percentBytes(Buffer.from(character)),
  percentUnits: (character) => (/[A-Za-z0-9]/.test(character) ? character : unit(character, (hex) => `%u${hex}`)),
  json: (character) => JSON.stringify(character).slice(1, -1),
  jsonSlash: (character) => (character === "/" ? "\\/" : JSON.stringify(character).slice(1, -1)),
  jsonAscii: (character) =>
    character > "~" ? unit(character, (hex) => `\\u${hex}`) : JSON.stringify(character).slice(1, -1),
  jsonUnits: (character) => unit(character, (hex) => `\\u${hex.toUpperCase()}`),
  html: (character) => names[character] ?? character,
  htmlDecimal: (character) => (/[A-Za-z0-9]/.test(character) ? character : `&#${character.codePointAt(0)};`),
  htmlHexadecimal: (character) => `&#x${character.codePointAt(0)?.toString(16)};`,
  misread: (character) => Buffer.from(character).toString("latin1"),
};

const base64 =
  (alphabet: "base64" | "base64url"): Encoding =>
  ({ text, from, to }) => {
    const bytes = (part: string): number => Buffer.byteLength(part);
    const [first, last] = [bytes(text.slice(0, from)), bytes(text.slice(0, to))];
    return {
      text: Buffer.from(text).toString(alphabet),
      from: Math.floor((first * 8) / 6),
      to: Math.floor((last * 8 - 1) / 6) + 1,
    };
  };

export const encodings: Readonly<Record<string, Encoding>> = {
  ...Object.fromEntries(
    Object.entries(characterWise).map(([name, write]) => {
      const encode: Encoding = ({ text, from, to }, random) => {
        const dialect = random.below(1000);
        const [before, middle, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)].map((part) =>
          Array.from(part, (character) => write(character, dialect)).join(""),
        ) as [string, string, string];
        return {
          text: before + middle + after,
          from: before.length,
          to: before.length + middle.length,
        };
      };
      return [name, encode];
    }),
  ),
  base64: base64("base64"),
  base64url: base64("base64url"),
};

/** Texts before a secret that do not become part of its escapes. */
const around = ["", "a=", "x ", '"k":"', "token: ", "é, ", "user:", ".", "/", "b"];

/** Returns a secret inside another text, encoded by a chain of random encodings, and the names of these. */
export function encoded(secret: string, random: Random, most = 4): Marked & { readonly chain: readonly string[] } {
  const before = random.pick(around);
  let marked: Marked = {
    text: before + secret + random.pick(["", "&b=1", '"', " x", ", é"]),
    from: before.length,
    to: 0,
  };
  // Backslashes at the ends of a secret are ambiguous.
  marked = {
    ...marked,
    from: before.length + (/^\\*/.exec(secret)?.[0].length ?? 0),
    to: before.length + secret.replace(/\\+$/, "").length,
  };
  const chain = Array.from({ length: random.between(0, most) }, () => random.pick(Object.keys(encodings)));
  for (const name of chain) marked = encodings[name]?.(marked, random) ?? marked;
  return { ...marked, chain };
}

/** Returns a secret of at least eight characters, which may contain parts of escapes. */
export function randomSecret(random: Random, { escapes = true } = {}): string {
  const characters = [..."abcdefXYZ0189", ..."%&;+=/\\\"'<>#!*()~ ", "é", "ž", "€", "😀", "\n"];
  const pieces = Array.from({ length: random.between(8, 12) }, () => random.pick(characters));
  if (escapes && random.oneIn(4))
    pieces.splice(random.below(8), 0, random.pick(["%41", "&amp;", "\\n", "\\u0041", "%2525"]));
  return pieces.join("");
}
