import { beginning, byteAt, DataFault, IncompleteDocument } from "./fault.ts";

const headBytes = 100;
const nothing = Buffer.alloc(0);

/** How far a body has been read, for what must be said of it. */
export class BodyOffset {
  /** The bytes at hand. */
  chunk: Buffer = nothing;
  /** Bytes before them. */
  before = 0;
  #head: Buffer = nothing;

  /** Goes on to the next bytes. */
  enter(next: Buffer): void {
    const head = this.#head;
    if (head.length < headBytes) this.#head = Buffer.concat([head, next.subarray(0, headBytes - head.length)]);
    // The scanner knows a chunk by its identity.
    this.chunk = next.subarray();
  }

  leave(): void {
    this.before += this.chunk.length;
  }

  /** A fault at a byte of the chunk: what `message` says, or broken JSON. */
  fault(at: number, message?: string, where = ""): DataFault {
    const offset = this.before + at;
    if (message !== undefined) return new DataFault(`${message} (at byte ${offset})`, offset);
    const what = `unexpected ${byteAt(this.chunk[at], offset)}${where}`;
    return new DataFault(`the response is not JSON: ${what}; ${this.#beginning()}`, offset);
  }

  /** The body is over, but not the document. */
  incomplete(): IncompleteDocument {
    const message = `the response ends inside the JSON document, after ${this.before} bytes; ${this.#beginning()}`;
    return new IncompleteDocument(message, this.before);
  }

  #beginning(): string {
    return beginning(this.#head, this.#head.length === headBytes);
  }
}
