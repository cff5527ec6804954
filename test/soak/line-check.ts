import type { Piece } from "./dataset.ts";

/** Compares a stream of lines with the expected lines, byte for byte. */
export interface LineCheck {
  /** Takes the next bytes. After the first fault, further bytes are ignored. */
  write(chunk: Buffer): void;
  /** Number of lines that were right. */
  readonly lines: number;
  /** The first line that was wrong: a gap, a repetition, or other content. */
  readonly fault: string | undefined;
}

const newline = 10;

export function createLineCheck(expected: Iterator<Piece>): LineCheck {
  let piece = next();
  let position = 0;
  let before = 0;
  let fault: string | undefined;

  function next(): Piece {
    const { value, done } = expected.next();
    return done === true ? { lines: Buffer.alloc(0), count: 0 } : value;
  }

  function write(chunk: Buffer): void {
    let offset = 0;
    while (offset < chunk.length && fault === undefined) {
      const length = Math.min(chunk.length - offset, piece.lines.length - position);
      if (length === 0 || !equal(chunk, offset, piece.lines, position, length)) {
        fault = tell(chunk, offset);
        return;
      }
      offset += length;
      position += length;
      if (position < piece.lines.length) continue;
      before += piece.count;
      piece = next();
      position = 0;
    }
  }

  function tell(chunk: Buffer, offset: number): string {
    while (chunk[offset] === piece.lines[position] && offset < chunk.length && position < piece.lines.length) {
      offset += 1;
      position += 1;
    }
    const start = position === 0 ? 0 : piece.lines.lastIndexOf(newline, position - 1) + 1;
    const wanted = lineAt(piece.lines, start);
    const got = piece.lines.toString("utf8", start, position) + lineAt(chunk, offset);
    return `line ${before + countLines(start) + 1} is ${excerptOf(got)}, not ${excerptOf(wanted)}`;
  }

  function countLines(end: number): number {
    let count = 0;
    for (let at = piece.lines.indexOf(newline); at >= 0 && at < end; at = piece.lines.indexOf(newline, at + 1))
      count += 1;
    return count;
  }

  return {
    write,
    get lines() {
      return before + countLines(position);
    },
    get fault() {
      return fault;
    },
  };
}

function equal(one: Buffer, oneStart: number, other: Buffer, otherStart: number, length: number): boolean {
  return one.compare(other, otherStart, otherStart + length, oneStart, oneStart + length) === 0;
}

function lineAt(text: Buffer, start: number): string {
  const end = text.indexOf(newline, start);
  return text.toString("utf8", start, end < 0 ? text.length : end);
}

function excerptOf(line: string): string {
  return line === "" ? "missing" : line.slice(0, 120);
}
