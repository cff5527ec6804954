import { backslash, closes, marks, opens, quote, quotes, separates } from "./json-bytes.ts";

/** Finds the end of a JSON value or key in compact JSON of valid grammar that comes in pieces. */
export class ValueEnd {
  /** Number of open containers of the value. */
  #depth = 0;
  #inString = false;
  /** True if the last piece ended after a backslash. */
  #escaped = false;
  /** True if the value is a number or literal, which ends before the next structural byte. */
  #isBare = false;

  /** Starts the next value or key. `first`: its first byte. */
  begin(first: number | undefined): void {
    const mark = marks[first ?? 0];
    this.#isBare = mark !== opens && mark !== quotes;
  }

  /** Returns the index after the value or key; -1 if it continues in the next piece. */
  find(piece: Buffer, start: number): number {
    if (this.#isBare) return bareEnd(piece, start);
    const { length } = piece;
    let index = start;
    let depth = this.#depth;
    let inString = this.#inString;
    if (this.#escaped && index < length) {
      this.#escaped = false;
      index += 1;
    }
    while (index < length) {
      if (inString) {
        let byte = piece[index];
        while (byte !== quote && byte !== backslash && index < length) byte = piece[++index];
        if (index >= length) break;
        if (byte === backslash) {
          index += 2;
          continue;
        }
        inString = false;
        if (depth === 0) return this.#ended(index + 1);
      } else {
        const mark = marks[piece[index] ?? 0];
        if (mark === opens) depth += 1;
        else if (mark === quotes) inString = true;
        else if (mark === closes) {
          depth -= 1;
          if (depth === 0) return this.#ended(index + 1);
        }
      }
      index += 1;
    }
    this.#escaped = index > length;
    this.#depth = depth;
    this.#inString = inString;
    return -1;
  }

  #ended(index: number): number {
    this.#depth = 0;
    this.#inString = false;
    return index;
  }
}

function bareEnd(piece: Buffer, start: number): number {
  for (let index = start; index < piece.length; index += 1) {
    const mark = marks[piece[index] ?? 0];
    if (mark === separates || mark === closes) return index;
  }
  return -1;
}
