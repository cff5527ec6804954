import type { Units } from "./decoding.ts";

/**
 * For each character, the six bits that it stands for in base64 or base64url, plus 1; 0 for other characters. A space may have been
 * a `+`.
 */
const sextets = new Uint8Array(128);
for (const [value, character] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries()) {
  sextets[character.charCodeAt(0)] = value + 1;
}
for (const [character, value] of [
  ["-", 62],
  ["_", 63],
  [" ", 62],
] as const) {
  sextets[character.charCodeAt(0)] = value + 1;
}

/** A range of a text that may be base64. */
export interface Base64Run {
  readonly from: number;
  readonly to: number;
  /** Number of `=` after the range. */
  readonly padding: number;
}

/** Entry of a line break in `sextets`. Line breaks are skipped: some programs break base64 into lines. */
const lineBreak = 65;
sextets[10] = lineBreak;
sextets[13] = lineBreak;

const equals = 0x3d;

/** Yields each longest possible run of base64 characters that is long enough for `bytes` bytes. */
export function* base64Runs({ codes }: Units, bytes: number): Generator<Base64Run> {
  const least = Math.ceil((bytes * 8) / 6);
  let from = 0;
  for (let index = 0; index <= codes.length; index += 1) {
    if (index < codes.length && (sextets[codes[index] ?? 0] ?? 0) > 0) continue;
    if (index - from >= least) {
      const padding = codes[index] !== equals ? 0 : codes[index + 1] !== equals ? 1 : 2;
      yield { from, to: index, padding };
    }
    from = index + 1;
  }
}

/** Decodes a run without its first `skipped` characters. Each byte becomes a unit. */
export function decodeBase64(text: Units, { from, to, padding }: Base64Run, skipped: number): Units {
  const codes = new Uint16Array(Math.ceil(((to - from) * 6) / 8));
  // For each byte, the indices of the characters with its first and its last bit.
  const places = new Int32Array(2 * codes.length);
  let [bits, held, length, passed, last] = [0, 0, 0, 0, 0];
  for (let index = from; index < to; index += 1) {
    const value = (sextets[text.codes[index] ?? 0] ?? 1) - 1;
    if (value === lineBreak - 1) continue;
    passed += 1;
    if (passed <= skipped) continue;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      codes[length] = (bits >> held) & 0xff;
      places[2 * length] = last;
      places[2 * length + 1] = index === to - 1 ? index + padding : index;
      length += 1;
    }
    last = index;
  }
  return {
    codes: codes.subarray(0, length),
    start: (index) => text.start(places[2 * index] ?? 0),
    end: (index) => text.end(places[2 * index + 1] ?? 0),
  };
}
