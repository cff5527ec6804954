/** Places where a text is cut off. */
export interface Cuts {
  /** Returns the last cut at `at` or before it; -1 for none. */
  before(at: number): number;
  /** Returns the end of the rest of an escape that the cut divided. */
  reach(cut: number): number;
  /** Whether the text is cut off at `at`. */
  has(at: number): boolean;
}

const [dot, ellipsis] = [0x2e, 0x2026];

/** Longest rest of one character's escape: `&#x1F600`, `%F0%9F%98%8`. */
const longestEscape = 12;

/**
 * Returns the cuts of a text: before "..." and "…", and at its end if it is `cutOff`; then its last `loose` codes may
 * be anything. Undefined: there are none.
 */
export function cutsOf(codes: Uint16Array, cutOff: boolean, loose: number): Cuts | undefined {
  const isMark = (at: number): boolean =>
    codes[at] === ellipsis || (codes[at] === dot && codes[at + 1] === dot && codes[at + 2] === dot);
  let first = 0;
  while (first < codes.length && !isMark(first)) first += 1;
  if (first === codes.length && !cutOff) return undefined;
  const reaches = new Map<number, number>();
  const add = (end: number): void => {
    for (let at = Math.max(0, end - longestEscape); at < end; at += 1) {
      if (isPartOfEscape(codes, at, end)) reaches.set(at, end);
    }
    reaches.set(end, end);
  };
  for (let at = first; at < codes.length; at += 1) if (isMark(at)) add(at);
  if (cutOff) {
    for (let at = Math.max(0, codes.length - loose); at < codes.length; at += 1) reaches.set(at, codes.length);
    add(codes.length);
  }
  const last = new Int32Array(codes.length + 1);
  for (let at = 0, cut = -1; at <= codes.length; at += 1) {
    if (reaches.has(at)) cut = at;
    last[at] = cut;
  }
  return {
    before: (at) => last[at] ?? -1,
    reach: (cut) => reaches.get(cut) ?? cut,
    has: (at) => reaches.has(at),
  };
}

/**
 * Whether a text is the rest of an escape: it begins with `%`, `&`, `\` (or lacks that: `u00`), or with the first byte
 * of several.
 */
function isPartOfEscape(codes: Uint16Array, from: number, end: number): boolean {
  const first = codes[from] ?? 0;
  const isNumber = first === 0x75 || first === 0x78;
  if (!isNumber && first !== 0x25 && first !== 0x26 && first !== 0x5c && !beginsSeveral(first)) return false;
  const text = String.fromCharCode(...codes.subarray(from + 1, end));
  return isNumber ? /^[\da-f]{0,3}$/i.test(text) : /^[\w#%&{\u0080-\u00f4\ud800-\udfff\ufffd]*$/.test(text);
}

/** Whether a code is the first of a character's several bytes, or half of a surrogate pair. */
function beginsSeveral(code: number): boolean {
  return (code >= 0xc2 && code <= 0xf4) || (code & 0xfc00) === 0xd800 || code === 0xfffd;
}
