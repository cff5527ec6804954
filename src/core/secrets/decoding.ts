import { decodeHTMLStrict } from "entities/decode";

/** UTF-16 code units of a decoded text, and the range in the original text from which each unit was decoded. */
export interface Units {
  readonly codes: Uint16Array;
  start(index: number): number;
  end(index: number): number;
}

export function unitsOf(text: string): Units {
  const codes = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index += 1) codes[index] = text.charCodeAt(index);
  return { codes, start: (index) => index, end: (index) => index + 1 };
}

const [backslash, percent, ampersand, semicolon, plus, space] = [0x5c, 0x25, 0x26, 0x3b, 0x2b, 0x20] as const;
const [lowerU, lowerX, openBrace, closeBrace] = [0x75, 0x78, 0x7b, 0x7d] as const;
const replacement = 0xfffd;

/** The value of each hexadecimal digit, plus 1. */
const digits = new Uint8Array(128);
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
  digits[digit.charCodeAt(0)] = value + 1;
  digits[digit.toUpperCase().charCodeAt(0)] = value + 1;
}

/** Characters after a backslash, as in `\n`, and the codes that they stand for. */
const controls = new Map<number, number>(
  Object.entries({ "0": 0, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }).map(([name, code]) => [name.charCodeAt(0), code]),
);

/**
 * The bytes that windows-1252 maps to characters beyond Latin-1, by these characters. A TextDecoder treats `latin1` as
 * windows-1252.
 */
const windows = new Map(
  [..."€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"].map((character, index) => [
    character.charCodeAt(0),
    0x80 + index,
  ]),
);

/** Longest name of an HTML entity, with `&` and `;`. */
const longestEntity = 34;

/** Returns whether a code is a continuation byte of UTF-8, or the character that windows-1252 shows for it. */
function isContinuation(code: number): boolean {
  return (code >= 0x80 && code <= 0xbf) || (code > 0xff && windows.has(code));
}

/** Returns whether a text certainly contains nothing to decode. This is so for most texts. */
function isPlain(codes: Uint16Array): boolean {
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === percent || code === backslash || code === plus || code === semicolon) return false;
    if ((code & 0xf800) === 0xd800) return false;
    if (code >= 0xc2 && code <= 0xf4 && isContinuation(codes[index + 1] ?? 0)) return false;
  }
  return true;
}

/** Code that stands for a decoded backslash: the text after it is escaped one level deeper. */
const inner = 0xfffe;

/** Maximum number of levels of escaped backslashes. */
const maxLevels = 8;

/**
 * Decodes a text that was encoded any number of times, in any order: percent (of UTF-8, of Latin-1, `%u00e9`), form, JSON and other
 * escapes with a backslash, HTML entities, UTF-8 read as Latin-1. An escape is replaced when it is complete at the end of the
 * decoded text, and its value may complete another escape. Each level of backslashes, up to 8, takes one pass in linear time. The
 * result is the same for every chain of encodings of one text. It is for comparisons only: backslashes are left out, and `+` is a
 * space. Undefined if there is nothing to decode.
 */
export function decode(text: Units): Units | undefined {
  if (isPlain(text.codes)) return undefined;
  let units = text;
  for (let level = 1; ; level += 1) {
    const tail = new Tail(units.codes.length);
    for (let index = 0; index < units.codes.length; index += 1) {
      tail.push(units.codes[index] ?? 0, index);
      while (tail.reduce());
    }
    if (!tail.hasInner || level === maxLevels) return tail.finish(units);
    units = tail.next(units);
  }
}

/** The text decoded so far. Escapes are replaced at its end. */
class Tail {
  readonly #codes: Uint16Array;
  /** Index of the first and of the last unit from which each code was decoded. */
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  #length = 0;
  /** True if a backslash was decoded. */
  hasInner = false;

  constructor(capacity: number) {
    this.#codes = new Uint16Array(capacity);
    this.#starts = new Int32Array(capacity);
    this.#ends = new Int32Array(capacity);
  }

  push(code: number, index: number): void {
    this.#codes[this.#length] = code;
    this.#starts[this.#length] = index;
    this.#ends[this.#length] = index;
    this.#length += 1;
  }

  /** Returns the code at a distance from the end; 1 is the last code. */
  #last(distance: number): number {
    return this.#codes[this.#length - distance] ?? -1;
  }

  /** Replaces the last `count` codes by one or two. Always returns true. */
  #replace(count: number, ...by: readonly number[]): true {
    const first = this.#length - count;
    const end = this.#ends[this.#length - 1] ?? 0;
    for (const [index, code] of by.entries()) {
      if (code === backslash) this.hasInner = true;
      this.#codes[first + index] = code === backslash ? inner : code;
      this.#starts[first + index] = this.#starts[first] ?? 0;
      this.#ends[first + index] = end;
    }
    this.#length = first + by.length;
    return true;
  }

  /** Replaces an escape at the end of the text. Returns whether there was one. */
  reduce(): boolean {
    const code = this.#last(1);
    if (code >= 0x80) return this.#utf8();
    if (code === semicolon) return this.#entity();
    if (code === closeBrace) return this.#braces();
    if (this.#last(2) === backslash) {
      if (code === backslash) return this.#replace(2, backslash);
      const control = controls.get(code);
      if (control !== undefined) return this.#replace(2, control);
    }
    return digits[code] !== 0 && this.#hexadecimal();
  }

  /** Replaces `%41`, `\x41`, `\u0041`, `%u0041`. */
  #hexadecimal(): boolean {
    const two = this.#number(2);
    if (two < 0) return false;
    if (this.#last(3) === percent) return this.#replace(3, two);
    if (this.#last(3) === lowerX && this.#last(4) === backslash) return this.#replace(4, two);
    const leads = this.#last(5) === lowerU && (this.#last(6) === backslash || this.#last(6) === percent);
    const four = leads ? this.#number(4) : -1;
    return four >= 0 && this.#replace(6, four);
  }

  /** Reads the last `count` digits as a number; -1 if they are not all digits. */
  #number(count: number): number {
    let value = 0;
    for (let back = count; back > 0; back -= 1) {
      const digit = digits[this.#last(back)] ?? 0;
      if (digit === 0) return -1;
      value = value * 16 + digit - 1;
    }
    return value;
  }

  /** Replaces `\u{1F600}`. */
  #braces(): boolean {
    let [back, value, weight] = [2, 0, 1];
    for (let digit = digits[this.#last(back)] ?? 0; digit > 0 && back <= 9; digit = digits[this.#last(back)] ?? 0) {
      value += (digit - 1) * weight;
      weight *= 16;
      back += 1;
    }
    const leads = this.#last(back) === openBrace && this.#last(back + 1) === lowerU;
    if (back === 2 || !leads || this.#last(back + 2) !== backslash || value > 0x10ffff) return false;
    return this.#replace(back + 2, ...codesOf(String.fromCodePoint(value)));
  }

  #entity(): boolean {
    let back = 2;
    while (back <= longestEntity && isEntityName(this.#last(back))) back += 1;
    if (back === 2 || this.#last(back) !== ampersand) return false;
    const text = String.fromCharCode(...this.#codes.subarray(this.#length - back, this.#length));
    const meant = decodeHTMLStrict(text);
    return meant !== text && meant.length <= back && this.#replace(back, ...codesOf(meant));
  }

  /** Replaces the bytes of one UTF-8 character, each written as a character of its own. */
  #utf8(): boolean {
    let rest = 0;
    for (let back = 1; back <= 4; back += 1) {
      const code = this.#last(back);
      const lead = back === 1 ? undefined : leads.find(({ length }) => length === back);
      if (lead !== undefined && code >= lead.from && code <= lead.to) {
        const value = (code - lead.base) * 64 ** (back - 1) + rest;
        return value <= 0x10ffff && this.#replace(back, ...codesOf(String.fromCodePoint(value)));
      }
      if (!isContinuation(code)) return false;
      rest += ((windows.get(code) ?? code) & 0x3f) * 64 ** (back - 1);
    }
    return false;
  }

  /** Returns the input of the next pass: each decoded backslash begins an escape. */
  next(text: Units): Units {
    for (let index = 0; index < this.#length; index += 1)
      if (this.#codes[index] === inner) this.#codes[index] = backslash;
    return this.#units(text);
  }

  /** Returns the decoded text in the form for comparisons. */
  finish(text: Units): Units {
    const [codes, length] = [this.#codes, this.#length];
    this.#length = 0;
    for (let index = 0; index < length; index += 1) {
      const code = codes[index] ?? 0;
      if (code === backslash || code === inner) {
        // The backslash belongs to the character that it escapes.
        if (index + 1 < length) this.#starts[index + 1] = this.#starts[index] ?? 0;
      } else if ((code & 0xf800) !== 0xd800) {
        this.#keep(index, code === plus ? space : code);
      } else if (code < 0xdc00 && index + 1 < length && ((codes[index + 1] ?? 0) & 0xfc00) === 0xdc00) {
        this.#keep(index, code);
        index += 1;
        this.#keep(index, codes[index] ?? 0);
      } else {
        this.#keep(index, replacement);
      }
    }
    return this.#units(text);
  }

  #units(text: Units): Units {
    const [starts, ends] = [this.#starts, this.#ends];
    return {
      codes: this.#codes.subarray(0, this.#length),
      start: (index) => text.start(starts[index] ?? 0),
      end: (index) => text.end(ends[index] ?? 0),
    };
  }

  #keep(index: number, code: number): void {
    const [start = 0, end = 0] = [this.#starts[index], this.#ends[index]];
    this.push(code, start);
    this.#ends[this.#length - 1] = end;
  }
}

const leads = [
  { length: 2, from: 0xc2, to: 0xdf, base: 0xc0 },
  { length: 3, from: 0xe0, to: 0xef, base: 0xe0 },
  { length: 4, from: 0xf0, to: 0xf4, base: 0xf0 },
] as const;

function isEntityName(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x23
  );
}

function codesOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
}
