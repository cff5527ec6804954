import { isUtf8 } from "node:buffer";
import type { DataFault } from "./fault.ts";

/** What may follow a backslash, but for `u`. */
const escaped = new Set(Buffer.from('"\\/bfnrt'));
const structural = new Set(Buffer.from("{}[]:,"));
const quote = 0x22;
const backslash = 0x5c;
/** Quotes and structural byte. */
const around = 3;

function isWhite(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The first byte from `start` that is not white space. */
export function whiteEnd(chunk: Buffer, start: number): number {
  let at = start;
  while (isWhite(chunk[at])) at += 1;
  return at;
}

function isHexadecimal(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

/**
 * Cuts the envelope's text behind each structural byte outside strings. Only a piece is ever kept: a key or a scalar
 * with the byte after it; white space is one space.
 */
export class Pieces {
  /** The piece, once it is whole. */
  text: string | undefined;
  /** Has a piece held bytes that are not UTF-8? */
  invalidUtf8 = false;
  readonly #limit: number;
  readonly #fault: (at: number, message?: string) => DataFault;
  #parts: Buffer[] = [];
  #size = 0;
  #inString = false;
  /** In an escape: how many hexadecimal digits are due; -1 where its first character is. */
  #due = 0;
  #spaced = false;

  /**
   * `limit`: the longest key or scalar, in bytes as written. `fault` makes what is thrown of the place in the chunk where
   * the JSON is broken, or of a message.
   */
  constructor(limit: number, fault: (at: number, message?: string) => DataFault) {
    this.#limit = limit;
    this.#fault = fault;
  }

  /** Reads on from `start`; answers where it stopped: at the chunk's end, or behind a piece that `text` then holds. */
  read(chunk: Buffer, start: number): number {
    this.text = undefined;
    let from = start;
    let at = start;
    while (at < chunk.length) {
      if (this.#inString) {
        at = this.#readString(chunk, at);
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (isWhite(byte)) {
        this.#keep(chunk.subarray(from, at), at);
        at = whiteEnd(chunk, at);
        from = at;
        this.#space(at);
        continue;
      }
      this.#spaced = false;
      at += 1;
      if (byte === quote) this.#inString = true;
      else if (structural.has(byte)) {
        this.#finish(chunk.subarray(from, at), at);
        return at;
      }
    }
    this.#keep(chunk.subarray(from), at);
    return at;
  }

  /** Goes on within a string; answers where it ends, or the chunk. */
  #readString(chunk: Buffer, start: number): number {
    let due = this.#due;
    let at = start;
    for (; at < chunk.length && this.#inString; at += 1) {
      const byte = chunk[at] ?? 0;
      if (due !== 0) {
        if (due > 0 ? !isHexadecimal(byte) : byte !== 0x75 && !escaped.has(byte)) throw this.#fault(at);
        due = due > 0 ? due - 1 : byte === 0x75 ? 4 : 0;
      } else if (byte === quote) this.#inString = false;
      else if (byte === backslash) due = -1;
      else if (byte < 0x20) throw this.#fault(at);
    }
    this.#due = due;
    return at;
  }

  /** A space must stay between what it parts, or "1 2" would become 12; at the start it parts nothing. */
  #space(at: number): void {
    if (!this.#spaced && this.#size > 0) this.#keep(Buffer.from(" "), at);
    this.#spaced = this.#size > 0;
  }

  #keep(part: Buffer, at: number): void {
    if (part.length === 0) return;
    this.#grow(part, at);
    this.#parts.push(Buffer.from(part));
  }

  #grow(part: Buffer, at: number): void {
    this.#size += part.length;
    if (this.#size <= this.#limit + around) return;
    throw this.#fault(at, `a key or a watched value of the response is longer than ${this.#limit} bytes`);
  }

  #finish(last: Buffer, at: number): void {
    this.#grow(last, at);
    const whole = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
    this.text = whole.toString("utf8");
    if (!this.invalidUtf8 && !isUtf8(whole)) this.invalidUtf8 = true;
    this.#parts = [];
    this.#size = 0;
    this.#spaced = false;
  }
}
