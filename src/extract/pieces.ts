import { isUtf8 } from "node:buffer";
import type { DataFault } from "./fault.ts";

/**
 * Cuts the envelope's text behind each structural byte outside strings. Only a piece is ever kept: a key or a scalar
 * with the byte after it; white space is one space.
 */
export interface Pieces {
  /** Reads on from `start`; answers where it stopped: at the chunk's end, or behind a piece that `text` then holds. */
  read(chunk: Buffer, start: number): number;
  /** The piece, once it is whole. */
  readonly text: string | undefined;
  /** Has a piece held bytes that are not UTF-8? */
  readonly invalidUtf8: boolean;
}

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
 * `limit`: the longest key or scalar, in bytes as written. Throws what `fault` makes of the place in the chunk where the
 * JSON is broken, or of a message.
 */
export function createPieces(limit: number, fault: (at: number, message?: string) => DataFault): Pieces {
  let parts: Buffer[] = [];
  let size = 0;
  let inString = false;
  /** In an escape: how many hexadecimal digits are due; -1 where its first character is. */
  let due = 0;
  let spaced = false;
  let text: string | undefined;
  let invalidUtf8 = false;

  function grow(part: Buffer, at: number): void {
    size += part.length;
    if (size > limit + around)
      throw fault(at, `a key or a watched value of the response is longer than ${limit} bytes`);
  }

  function keep(part: Buffer, at: number): void {
    if (part.length === 0) return;
    grow(part, at);
    parts.push(Buffer.from(part));
  }

  function finish(last: Buffer, at: number): void {
    grow(last, at);
    const whole = parts.length === 0 ? last : Buffer.concat([...parts, last]);
    text = whole.toString("utf8");
    if (!invalidUtf8 && !isUtf8(whole)) invalidUtf8 = true;
    parts = [];
    size = 0;
    spaced = false;
  }

  /** Goes on within a string; answers where it ends, or the chunk. */
  function readString(chunk: Buffer, start: number): number {
    for (let at = start; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (due !== 0) {
        if (due > 0 ? !isHexadecimal(byte) : byte !== 0x75 && !escaped.has(byte)) throw fault(at);
        due = due > 0 ? due - 1 : byte === 0x75 ? 4 : 0;
      } else if (byte === quote) {
        inString = false;
        return at + 1;
      } else if (byte === backslash) due = -1;
      else if (byte < 0x20) throw fault(at);
    }
    return chunk.length;
  }

  function read(chunk: Buffer, start: number): number {
    text = undefined;
    let from = start;
    let at = start;
    while (at < chunk.length) {
      if (inString) {
        at = readString(chunk, at);
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (isWhite(byte)) {
        keep(chunk.subarray(from, at), at);
        at = whiteEnd(chunk, at);
        from = at;
        // A space must stay between what it parts, or "1 2" would become 12; at the start it parts nothing.
        if (!spaced && size > 0) keep(Buffer.from(" "), at);
        spaced = size > 0;
        continue;
      }
      spaced = false;
      at += 1;
      if (byte === quote) inString = true;
      else if (structural.has(byte)) {
        finish(chunk.subarray(from, at), at);
        return at;
      }
    }
    keep(chunk.subarray(from), at);
    return at;
  }

  return {
    read,
    get text() {
      return text;
    },
    get invalidUtf8() {
      return invalidUtf8;
    },
  };
}
