import { beginning, byteAt, DataFault, IncompleteDocument } from "./fault.ts";

const headBytes = 100;
const nothing = Buffer.alloc(0);

/** How far a body has been read, for what must be said of it. */
export interface BodyOffset {
  /** The bytes at hand. */
  readonly chunk: Buffer;
  /** Bytes before them. */
  readonly before: number;
  /** Goes on to the next bytes. */
  enter(chunk: Buffer): void;
  leave(): void;
  /** A fault at a byte of the chunk: what `message` says, or broken JSON. */
  fault(at: number, message?: string, where?: string): DataFault;
  /** The body is over, but not the document. */
  incomplete(): IncompleteDocument;
}

export function createBodyOffset(): BodyOffset {
  let chunk: Buffer = nothing;
  let before = 0;
  let head: Buffer = nothing;
  return {
    get chunk() {
      return chunk;
    },
    get before() {
      return before;
    },
    enter(next) {
      if (head.length < headBytes) head = Buffer.concat([head, next.subarray(0, headBytes - head.length)]);
      // The scanner knows a chunk by its identity.
      chunk = next.subarray();
    },
    leave() {
      before += chunk.length;
    },
    fault(at, message, where = "") {
      const offset = before + at;
      if (message !== undefined) return new DataFault(`${message} (at byte ${offset})`, offset);
      const what = `unexpected ${byteAt(chunk[at], offset)}${where}`;
      return new DataFault(`the response is not JSON: ${what}; ${beginning(head, head.length === headBytes)}`, offset);
    },
    incomplete() {
      const message = `the response ends inside the JSON document, after ${before} bytes; ${beginning(head, head.length === headBytes)}`;
      return new IncompleteDocument(message, before);
    },
  };
}
