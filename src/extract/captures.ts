/** Receives the text of a captured value. `isComplete`: false if the text was cut at the limit. */
type TakeText = (text: string, isComplete: boolean) => void;

interface Capture {
  /** Number of containers open around the value. */
  readonly depth: number;
  readonly limit: number;
  readonly done: TakeText;
  readonly parts: Buffer[];
  size: number;
  /** Index in the current chunk from which the text is copied next. */
  from: number;
}

/** Copies the text of values outside of the records, each up to its limit. They may be read by the parser or by the scanner. */
export class Captures {
  #open: Capture[] = [];

  /** Starts to copy a value at byte `index` of the current chunk. `depth`: number of containers around it. `limit` is in bytes. */
  begin(depth: number, index: number, limit: number, done: TakeText): void {
    this.#open.push({ depth, limit, done, parts: [], size: 0, from: index });
  }

  /** Finishes the values that are within at least `depth` containers. They end before byte `index` of the chunk. */
  end(depth: number, chunk: Buffer, index: number): void {
    if (this.#open.length === 0) return;
    const ended = this.#open.filter((capture) => capture.depth >= depth);
    this.#open = this.#open.filter((capture) => capture.depth < depth);
    for (const capture of ended) {
      const isWhole = take(capture, chunk, index);
      capture.done(Buffer.concat(capture.parts).toString("utf8"), isWhole);
    }
  }

  /** Copies the rest of the chunk for values that have not ended. Must be called at the end of each chunk. */
  leave(chunk: Buffer): void {
    for (const capture of this.#open) {
      take(capture, chunk, chunk.length);
      capture.from = 0;
    }
  }
}

/** Copies the bytes up to `end`, or up to the limit. Returns whether the value is within its limit so far. */
function take(capture: Capture, chunk: Buffer, end: number): boolean {
  const length = end - capture.from;
  const room = Math.max(capture.limit - capture.size, 0);
  if (length > 0 && room > 0)
    capture.parts.push(Buffer.from(chunk.subarray(capture.from, capture.from + Math.min(length, room))));
  capture.size += length;
  return capture.size <= capture.limit;
}
