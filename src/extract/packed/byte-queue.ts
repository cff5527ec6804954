import { CutBody } from "../fault.ts";

/** Bytes of a body, taken in the sizes that its format asks for. */
export class ByteQueue {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(body: AsyncIterable<Buffer>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** Exactly so many bytes. Throws CutBody where the body has fewer. */
  async take(count: number): Promise<Buffer> {
    while (this.#rest.length < count) {
      const next = await this.#chunks.next();
      if (next.done === true) throw new CutBody("the zip breaks off");
      this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
    }
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  /** Up to so many bytes, as they are at hand; at least one. Throws CutBody at the body's end. */
  async some(most: number): Promise<Buffer> {
    if (await this.isOver()) throw new CutBody("the zip breaks off");
    return this.take(Math.min(most, this.#rest.length));
  }

  /** Puts bytes back that were not needed. */
  giveBack(bytes: Buffer): void {
    if (bytes.length > 0) this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([bytes, this.#rest]);
  }

  /** Is there nothing more? */
  async isOver(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return true;
      this.#rest = next.value;
    }
    return false;
  }
}
