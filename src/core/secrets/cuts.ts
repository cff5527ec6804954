/** Places where a text is cut off. */
export interface Cuts {
  /** Returns the last cut at or before `index`; -1 if there is none. */
  before(index: number): number;
  /** Returns the end of the partial escape that begins at a cut; the cut itself if no escape begins there. */
  reach(cut: number): number;
  /** Returns whether the text is cut off at `index`. */
  has(index: number): boolean;
}

const [dot, ellipsis] = [0x2e, 0x2026];

/** Maximum length of the beginning of one character's escape: `&#x1F600`, `%F0%9F%98%8`. */
const longestEscape = 12;

/**
 * Returns the cuts of a text; undefined if there are none. There is a cut before each "..." and "…", and before an escape of which
 * such a cut leaves only a part. If the end of the text is missing (`cutOff`), there is also a cut at the end, and one before each
 * of the last `loose` codes, which may be the rest of an escape.
 */
export function cutsOf(codes: Uint16Array, cutOff: boolean, loose: number): Cuts | undefined {
  const isEllipsis = (index: number): boolean =>
    codes[index] === ellipsis || (codes[index] === dot && codes[index + 1] === dot && codes[index + 2] === dot);
  let first = 0;
  while (first < codes.length && !isEllipsis(first)) first += 1;
  if (first === codes.length && !cutOff) return undefined;
  const reaches = new Map<number, number>();
  const add = (end: number): void => {
    for (let index = Math.max(0, end - longestEscape); index < end; index += 1) {
      if (isPartOfEscape(codes, index, end)) reaches.set(index, end);
    }
    reaches.set(end, end);
  };
  for (let index = first; index < codes.length; index += 1) if (isEllipsis(index)) add(index);
  if (cutOff) {
    for (let index = Math.max(0, codes.length - loose); index < codes.length; index += 1)
      reaches.set(index, codes.length);
    add(codes.length);
  }
  const last = new Int32Array(codes.length + 1);
  for (let index = 0, cut = -1; index <= codes.length; index += 1) {
    if (reaches.has(index)) cut = index;
    last[index] = cut;
  }
  return {
    before: (index) => last[index] ?? -1,
    reach: (cut) => reaches.get(cut) ?? cut,
    has: (index) => reaches.has(index),
  };
}

/**
 * Returns whether a part of a text may be the beginning of an escaped character. It then begins with `%`, `&` or `\`, with `u` or
 * `x` after a lost `\` (`u00`), or with the first of several bytes of a character.
 */
function isPartOfEscape(codes: Uint16Array, from: number, end: number): boolean {
  const first = codes[from] ?? 0;
  const isEscapeLetter = first === 0x75 || first === 0x78;
  if (!isEscapeLetter && first !== 0x25 && first !== 0x26 && first !== 0x5c && !isFirstOfSeveral(first)) return false;
  const text = String.fromCharCode(...codes.subarray(from + 1, end));
  return isEscapeLetter ? /^[\da-f]{0,3}$/i.test(text) : /^[\w#%&{\u0080-\u00f4\ud800-\udfff\ufffd]*$/.test(text);
}

/** Returns whether a code is the first of several bytes of a character, the first half of a surrogate pair, or U+FFFD. */
function isFirstOfSeveral(code: number): boolean {
  return (code >= 0xc2 && code <= 0xf4) || (code & 0xfc00) === 0xd800 || code === 0xfffd;
}
