/** Receives the text of a captured value. `whole`: the value has ended, and its text is within the limit. */
export type Captured = (text: string, whole: boolean) => void;

interface Capture {
  /** Number of containers open around the value. */
  readonly depth: number;
  readonly limit: number;
  readonly done: Captured;
  readonly parts: Buffer[];
  size: number;
  /** Index in the current chunk from which the text is copied next. */
  from: number;
}

/** Copies the text of values around the records, each up to its limit, whichever reader passes over them. */
export class Captures {
  #open: Capture[] = [];

  /** Starts to copy at a byte of the current chunk, within `depth` containers. `limit` is in bytes. */
  begin(depth: number, index: number, limit: number, done: Captured): void {
    this.#open.push({ depth, limit, done, parts: [], size: 0, from: index });
  }

  /** Finishes the value within `depth` containers, which has ended before byte `index` of the chunk. */
  end(depth: number, chunk: Buffer, index: number): void {
    if (this.#open.length === 0) return;
    const ended = this.#open.filter((capture) => capture.depth >= depth);
    this.#open = this.#open.filter((capture) => capture.depth < depth);
    for (const capture of ended) {
      const whole = take(capture, chunk, index);
      capture.done(Buffer.concat(capture.parts).toString("utf8"), whole);
    }
  }

  /** Copies what the chunk still holds of open values. To be called at the end of each chunk. */
  leave(chunk: Buffer): void {
    for (const capture of this.#open) {
      take(capture, chunk, chunk.length);
      capture.from = 0;
    }
  }
}

/** Copies up to `end`. Returns whether all of it fits. */
function take(capture: Capture, chunk: Buffer, end: number): boolean {
  const length = end - capture.from;
  const room = Math.max(capture.limit - capture.size, 0);
  if (length > 0 && room > 0)
    capture.parts.push(Buffer.from(chunk.subarray(capture.from, capture.from + Math.min(length, room))));
  capture.size += length;
  return capture.size <= capture.limit;
}
