import { CutBody } from "../fault.ts";

/** Reads a body in pieces of any size. */
export class ByteQueue {
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  /** Number of bytes of the chunk that were taken. */
  #offset = 0;

  constructor(body: AsyncIterable<Buffer>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** Returns exactly `count` bytes, gathered in memory. Throws CutBody if the body has fewer. */
  async take(count: number): Promise<Buffer> {
    if (count <= this.#chunk.length - this.#offset) return this.#cut(count);
    const pieces: Buffer[] = [];
    for (let remaining = count; remaining > 0; remaining -= pieces.at(-1)?.length ?? 0)
      pieces.push(await this.some(remaining));
    return Buffer.concat(pieces);
  }

  /** Returns the next `count` bytes without taking them. Throws CutBody if the body has fewer. */
  async peek(count: number): Promise<Buffer> {
    while (this.#chunk.length - this.#offset < count) {
      const next = await this.#chunks.next();
      if (next.done === true) throw new CutBody("the zip ends early");
      this.#chunk = Buffer.concat([this.#chunk.subarray(this.#offset), next.value]);
      this.#offset = 0;
    }
    return this.#chunk.subarray(this.#offset, this.#offset + count);
  }

  /** Skips `count` bytes. Throws CutBody if the body has fewer. */
  async skip(count: number): Promise<void> {
    for (let remaining = count; remaining > 0; ) remaining -= (await this.some(remaining)).length;
  }

  /** Returns the bytes that are available: at least one and at most `maximum`. Throws CutBody at the body's end. */
  async some(maximum: number): Promise<Buffer> {
    if (await this.isOver()) throw new CutBody("the zip ends early");
    return this.#cut(Math.min(maximum, this.#chunk.length - this.#offset));
  }

  /** Puts back the last `count` of the bytes that `some` returned just before. */
  giveBack(count: number): void {
    this.#offset -= count;
  }

  /** Returns whether the body has ended. */
  async isOver(): Promise<boolean> {
    while (this.#offset === this.#chunk.length) {
      const next = await this.#chunks.next();
      if (next.done === true) return true;
      this.#chunk = next.value;
      this.#offset = 0;
    }
    return false;
  }

  #cut(count: number): Buffer {
    this.#offset += count;
    return this.#chunk.subarray(this.#offset - count, this.#offset);
  }
}
