import { beginning, byteAt, DataFault, IncompleteDocument } from "./fault.ts";

/** Number of first bytes of the body that a message shows. */
const headBytes = 100;
const noBytes = Buffer.alloc(0);

/** Counts the bytes of a body as they are read, so that a fault can say at which byte it is. */
export class BodyOffset {
  /** The chunk that is being read. */
  chunk: Buffer = noBytes;
  /** Number of bytes of the body before `chunk`. */
  before = 0;
  #head: Buffer = noBytes;

  /** Moves to the next chunk. */
  enter(next: Buffer): void {
    const head = this.#head;
    if (head.length < headBytes) this.#head = Buffer.concat([head, next.subarray(0, headBytes - head.length)]);
    // The scanner recognises a chunk by its identity, so each one is a new object.
    this.chunk = next.subarray();
  }

  leave(): void {
    this.before += this.chunk.length;
  }

  /**
   * Returns the fault at a byte of the chunk. Without `message`, the fault is that this byte is not JSON, and `where` follows the
   * byte in the message.
   */
  fault(index: number, message?: string, where = ""): DataFault {
    const offset = this.before + index;
    if (message !== undefined) return new DataFault(`${message} (at byte ${offset})`, offset);
    const what = `unexpected ${byteAt(this.chunk[index], offset)}${where}`;
    const misread = { format: "json", head: this.#head } as const;
    return new DataFault(`the response is not JSON: ${what}; ${this.#beginning()}`, offset, misread);
  }

  /** Returns the fault for a body that ends inside its document. */
  incomplete(): IncompleteDocument {
    const message = `the response ends inside the JSON document, after ${this.before} bytes; ${this.#beginning()}`;
    return new IncompleteDocument(message, this.before);
  }

  #beginning(): string {
    return beginning(this.#head, this.#head.length === headBytes);
  }
}
