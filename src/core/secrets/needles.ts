/** Minimum length of a needle, in codes. Needles are looked up by this number of first codes. */
export const shortestNeedle = 4;

const base = 0x2c1b3c6d;
let powers = new Uint32Array([1]);

/** The hashes of all prefixes of a text. From them, the hash of any part of the text is computed in constant time. */
export class PrefixHashes {
  readonly #hashes: Uint32Array;

  constructor(codes: Uint16Array) {
    this.#hashes = new Uint32Array(codes.length + 1);
    let hash = 0;
    for (let index = 0; index < codes.length; index += 1) {
      hash = (Math.imul(hash, base) + (codes[index] ?? 0) + 1) >>> 0;
      this.#hashes[index + 1] = hash;
    }
    if (powers.length <= codes.length) {
      const enlarged = new Uint32Array(2 * codes.length + 1);
      enlarged.set(powers);
      for (let index = powers.length; index < enlarged.length; index += 1)
        enlarged[index] = Math.imul(enlarged[index - 1] ?? 0, base);
      powers = enlarged;
    }
  }

  get length(): number {
    return this.#hashes.length - 1;
  }

  /** Returns the hash of `length` codes of the text from `index` on. */
  of(index: number, length: number): number {
    const before = Math.imul(this.#hashes[index] ?? 0, powers[length] ?? 0);
    return ((this.#hashes[index + length] ?? 0) - before) >>> 0;
  }
}

/** The needles that begin with the same four codes. */
interface Head {
  /** Lengths of the needles, longest first. */
  lengths: readonly number[];
  readonly hashes: Set<number>;
  readonly prefixHashes: PrefixHashes[];
}

/**
 * Finds many texts at once. The time depends on the length of the searched text, and hardly on the number or length of
 * the needles. Texts are compared by their hashes: a wrong match (one in 2^32) only masks too much.
 */
export class Needles {
  readonly #heads = new Map<number, Head>();
  /** For each pair of codes (hashed), whether a needle begins with it. This excludes most places. */
  readonly #pairs = new Uint8Array(4096);
  #least = Number.POSITIVE_INFINITY;

  /** Length of the shortest needle that was added; infinite if there is none. */
  get least(): number {
    return this.#least;
  }

  add(codes: Uint16Array): void {
    const prefixHashes = new PrefixHashes(codes);
    const key = headOf(codes, 0);
    const head = this.#heads.get(key) ?? { lengths: [], hashes: new Set(), prefixHashes: [] };
    const hash = prefixHashes.of(0, codes.length);
    if (head.lengths.includes(codes.length) && head.hashes.has(hash)) return;
    this.#heads.set(key, head);
    this.#pairs[pairOf(codes, 0)] = 1;
    this.#least = Math.min(this.#least, codes.length);
    head.lengths = [...new Set([...head.lengths, codes.length])].sort((a, b) => b - a);
    head.hashes.add(hash);
    head.prefixHashes.push(prefixHashes);
  }

  /**
   * Calls `found` with the range of the longest needle at each index, in order. With `cutBefore`, it also finds the beginning of a
   * needle that ends at a cut. `cutBefore` returns the last place, at or before an index, at which the text was cut off; -1 if
   * there is none.
   */
  search(codes: Uint16Array, found: (from: number, to: number) => void, cutBefore?: (index: number) => number): void {
    if (this.#heads.size === 0) return;
    let text: PrefixHashes | undefined;
    for (let index = 0; index + shortestNeedle <= codes.length; index += 1) {
      if (this.#pairs[pairOf(codes, index)] === 0) continue;
      const head = this.#heads.get(headOf(codes, index));
      if (head === undefined) continue;
      text ??= new PrefixHashes(codes);
      const length = Math.max(wholeAt(text, index, head), cutLengthAt(text, index, head, cutBefore));
      if (length > 0) found(index, index + length);
    }
  }
}

/** Returns the hash of the four codes from `offset` on. */
function headOf(codes: Uint16Array, offset: number): number {
  let hash = 0;
  for (let index = offset; index < offset + shortestNeedle; index += 1)
    hash = Math.imul(hash, base) + (codes[index] ?? 0) + 1;
  return hash >>> 0;
}

function pairOf(codes: Uint16Array, index: number): number {
  return ((codes[index] ?? 0) * 61 + (codes[index + 1] ?? 0)) & 4095;
}

function wholeAt(text: PrefixHashes, index: number, { lengths, hashes }: Head): number {
  for (const length of lengths) {
    if (index + length <= text.length && hashes.has(text.of(index, length))) return length;
  }
  return 0;
}

/** Returns the length of the longest beginning of a needle that is at `index` and ends at a cut; 0 if there is none. */
function cutLengthAt(
  text: PrefixHashes,
  index: number,
  { prefixHashes }: Head,
  cutBefore: ((index: number) => number) | undefined,
): number {
  if (cutBefore === undefined || cutBefore(text.length) < index + shortestNeedle) return 0;
  let longest = 0;
  for (const needle of prefixHashes) {
    let [low, high] = [shortestNeedle, Math.min(needle.length, text.length - index)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (text.of(index, middle) === needle.of(0, middle)) low = middle;
      else high = middle - 1;
    }
    const cut = cutBefore(index + low);
    if (cut >= index + shortestNeedle) longest = Math.max(longest, cut - index);
  }
  return longest;
}
