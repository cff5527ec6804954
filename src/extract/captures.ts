/** Takes the text of a captured value; `whole`: it is not longer than the limit, and has ended. */
export type Captured = (text: string, whole: boolean) => void;

interface Capture {
  /** Containers open around the value. */
  readonly depth: number;
  readonly limit: number;
  readonly done: Captured;
  readonly parts: Buffer[];
  size: number;
  /** Where in the chunk at hand it goes on. */
  from: number;
}

/** Copies what is written of values around the records, up to a limit each, whoever reads them. */
export class Captures {
  #open: Capture[] = [];

  /** The value begins at a byte of the chunk at hand, within `depth` containers. `limit` in bytes. */
  begin(depth: number, at: number, limit: number, done: Captured): void {
    this.#open.push({ depth, limit, done, parts: [], size: 0, from: at });
  }

  /** A value within `depth` containers has ended before a byte of the chunk. */
  end(depth: number, chunk: Buffer, at: number): void {
    if (this.#open.length === 0) return;
    const ended = this.#open.filter((capture) => capture.depth >= depth);
    this.#open = this.#open.filter((capture) => capture.depth < depth);
    for (const capture of ended) {
      const whole = take(capture, chunk, at);
      capture.done(Buffer.concat(capture.parts).toString("utf8"), whole);
    }
  }

  /** The chunk is over. */
  leave(chunk: Buffer): void {
    for (const capture of this.#open) {
      take(capture, chunk, chunk.length);
      capture.from = 0;
    }
  }
}

/** Copies up to `end`; answers whether all of it fits. */
function take(capture: Capture, chunk: Buffer, end: number): boolean {
  const length = end - capture.from;
  const room = Math.max(capture.limit - capture.size, 0);
  if (length > 0 && room > 0)
    capture.parts.push(Buffer.from(chunk.subarray(capture.from, capture.from + Math.min(length, room))));
  capture.size += length;
  return capture.size <= capture.limit;
}
