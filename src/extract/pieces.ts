import { isUtf8 } from "node:buffer";
import type { DataFault } from "./fault.ts";
import { backslash, quote } from "./json-bytes.ts";

/** Characters that may follow a backslash, except `u`. */
const escapable = new Set(Buffer.from('"\\/bfnrt'));
const structural = new Set(Buffer.from("{}[]:,"));
/** Number of bytes of a piece besides its key or scalar: two quotes and the structural byte. */
const extraBytes = 3;

function isWhite(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Returns the index of the first byte from `start` that is not white space. */
export function whiteEnd(chunk: Buffer, start: number): number {
  let index = start;
  while (isWhite(chunk[index])) index += 1;
  return index;
}

function isHexadecimal(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

/**
 * Cuts the envelope's text into pieces. Each piece ends with a structural byte outside strings, and may begin with a key or a
 * scalar. Only the current piece is kept. White space between two tokens is kept as one space.
 */
export class Pieces {
  /** The piece that the last `read` completed; undefined if it completed none. */
  text: string | undefined;
  /** True if a piece contained bytes that are not UTF-8. */
  invalidUtf8 = false;
  readonly #limit: number;
  readonly #fault: (index: number, message?: string) => DataFault;
  #parts: Buffer[] = [];
  #size = 0;
  #inString = false;
  /** In an escape: number of hexadecimal digits that must follow; -1 at the first character of the escape. */
  #due = 0;
  #endsWithSpace = false;

  /**
   * `limit`: maximum number of bytes of a key or scalar, as written. `fault` creates the error at an index in the chunk. Without
   * a message, the error is that the byte is not JSON.
   */
  constructor(limit: number, fault: (index: number, message?: string) => DataFault) {
    this.#limit = limit;
    this.#fault = fault;
  }

  /** Continues to read from `start`. Returns the index after the piece that it completed, or else the end of the chunk. */
  read(chunk: Buffer, start: number): number {
    this.text = undefined;
    let from = start;
    let index = start;
    while (index < chunk.length) {
      if (this.#inString) {
        index = this.#readString(chunk, index);
        continue;
      }
      const byte = chunk[index] ?? 0;
      if (isWhite(byte)) {
        this.#keep(chunk.subarray(from, index), index);
        index = whiteEnd(chunk, index);
        from = index;
        this.#space(index);
        continue;
      }
      this.#endsWithSpace = false;
      index += 1;
      if (byte === quote) this.#inString = true;
      else if (structural.has(byte)) {
        this.#finish(chunk.subarray(from, index), index);
        return index;
      }
    }
    this.#keep(chunk.subarray(from), index);
    return index;
  }

  /** Continues to read a string. Returns the index after the string, or the end of the chunk. */
  #readString(chunk: Buffer, start: number): number {
    let due = this.#due;
    let index = start;
    for (; index < chunk.length && this.#inString; index += 1) {
      const byte = chunk[index] ?? 0;
      if (due !== 0) {
        if (due > 0 ? !isHexadecimal(byte) : byte !== 0x75 && !escapable.has(byte)) throw this.#fault(index);
        due = due > 0 ? due - 1 : byte === 0x75 ? 4 : 0;
      } else if (byte === quote) this.#inString = false;
      else if (byte === backslash) due = -1;
      else if (byte < 0x20) throw this.#fault(index);
    }
    this.#due = due;
    return index;
  }

  /**
   * Keeps one space between two tokens; without it, "1 2" would become 12. Drops a space at the start of a piece, where it
   * separates nothing.
   */
  #space(index: number): void {
    if (!this.#endsWithSpace && this.#size > 0) this.#keep(Buffer.from(" "), index);
    this.#endsWithSpace = this.#size > 0;
  }

  #keep(part: Buffer, index: number): void {
    if (part.length === 0) return;
    this.#grow(part, index);
    this.#parts.push(Buffer.from(part));
  }

  #grow(part: Buffer, index: number): void {
    this.#size += part.length;
    if (this.#size <= this.#limit + extraBytes) return;
    throw this.#fault(
      index,
      `a key of the response, or a value that paging reads, is longer than ${this.#limit} bytes`,
    );
  }

  #finish(last: Buffer, index: number): void {
    this.#grow(last, index);
    const wholePiece = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
    this.text = wholePiece.toString("utf8");
    if (!this.invalidUtf8 && !isUtf8(wholePiece)) this.invalidUtf8 = true;
    this.#parts = [];
    this.#size = 0;
    this.#endsWithSpace = false;
  }
}
