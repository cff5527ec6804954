import { compressions, Decompressor } from "../../core/decompression.ts";
import { beginning, CutBody, DataFault } from "../fault.ts";
import { border } from "./border.ts";
import { unzip } from "./zip.ts";

/** Compression of a body that is itself a packed file. A Content-Encoding is already decoded. */
export type Compression = "auto" | "gzip" | "zip" | "none";

export interface UnpackOptions {
  readonly compression: Compression;
  /** Glob over the names of a zip's members, in which `*` does not match `/`. All members are read if it is absent. */
  readonly member: string | undefined;
  /** Maximum unpacked size in bytes; undefined for no limit. */
  readonly maxBytes: number | undefined;
  /** Creates the decoder to UTF-8 for unpacked content. Content that was not packed is already decoded. */
  readonly decode: () => { push(chunk: Buffer): Buffer; end(): Buffer };
  /** Takes a body that does not have the configured compression, before the fault is thrown: it may be an API's error. */
  readonly misfit?: { add(chunk: Buffer): void; readonly isOpen: boolean } | undefined;
}

type Bytes = AsyncIterable<Buffer>;

/**
 * Unpacks a body; `auto` decides by its first bytes. `border` separates two members of a zip. Throws CutBody if the packed
 * body breaks off or cannot be decoded, DataFault if it has another format than the configured one.
 */
export function unpack(body: Bytes, options: UnpackOptions): Bytes {
  return options.compression === "none" ? body : new UnpackedBody(body, options);
}

/** Unpacks a body. Nearly all bodies are not packed; these are passed on without another turn of the event loop. */
class UnpackedBody implements AsyncIterableIterator<Buffer> {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #options: UnpackOptions;
  #inner: AsyncIterator<Buffer> | undefined;

  constructor(body: Bytes, options: UnpackOptions) {
    this.#chunks = body[Symbol.asyncIterator]();
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Buffer>> {
    return this.#inner === undefined ? this.#begin() : this.#inner.next();
  }

  async return(): Promise<IteratorResult<Buffer>> {
    await this.#inner?.return?.();
    await this.#chunks.return?.();
    return { done: true, value: undefined };
  }

  async #begin(): Promise<IteratorResult<Buffer>> {
    const first = await this.#chunks.next();
    if (first.done === true) return first;
    const head = await readHead(first.value, this.#chunks);
    const found = signatureOf(head);
    const { compression, member, misfit } = this.#options;
    const packing = compression === "auto" || compression === "none" ? found : compression;
    if (packing === undefined) {
      this.#inner = this.#chunks;
      return { done: false, value: head };
    }
    const wholeBody = chain(head, this.#chunks);
    if (packing !== found) {
      for await (const chunk of wholeBody) {
        misfit?.add(chunk);
        if (misfit?.isOpen !== true) break;
      }
      const start = head.subarray(0, shownBytes);
      const message = `the response is not a ${packing}: ${beginning(start, head.length > shownBytes)}`;
      throw new DataFault(message, undefined, { format: packing, head: start });
    }
    const bytes =
      packing === "gzip"
        ? unpackGzip(wholeBody)
        : unzip(wholeBody, (name) => member === undefined || matchesGlob(name, member));
    this.#inner = decodeMembers(bytes, this.#options);
    return this.#inner.next();
  }
}

const signatureBytes = 4;
/** Number of first bytes of a body of the wrong format that the message shows. */
const shownBytes = 100;

function signatureOf(head: Buffer): "gzip" | "zip" | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  const number = head.length < signatureBytes ? 0 : head.readUInt32LE(0);
  // The signatures of a member, of the end of a zip without members, and of a zip in several volumes.
  return [0x04034b50, 0x06054b50, 0x08074b50].includes(number) ? "zip" : undefined;
}

/** Appends chunks to the first one until it has the length of a signature. */
async function readHead(first: Buffer, chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let head = first;
  while (head.length < signatureBytes) {
    const next = await chunks.next();
    if (next.done === true) return head;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

async function* chain(head: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
}

/** Decodes each member separately. Throws DataFault if the unpacked bytes of all members exceed the limit. */
async function* decodeMembers(body: Bytes, { maxBytes = Infinity, decode }: UnpackOptions): AsyncGenerator<Buffer> {
  let bytes = 0;
  let text = decode();
  for await (const chunk of body) {
    if (chunk === border) {
      yield text.end();
      text = decode();
      yield border;
      continue;
    }
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new DataFault(`the response, unpacked, is longer than ${maxBytes} bytes; --max-response-bytes allows more`);
    }
    yield text.push(chunk);
  }
  yield text.end();
}

/** Number of bytes that are inflated at a time. Inflating expands them about a thousandfold at most, so the result stays small. */
const slice = 16_384;

async function* unpackGzip(body: Bytes): AsyncGenerator<Buffer> {
  const out: Buffer[] = [];
  let reject: (error: Error) => void = () => undefined;
  const gunzip = new Decompressor(compressions.gzip, {
    data: (chunk) => out.push(chunk),
    error: (error) => reject(new CutBody(`the gzip cannot be unpacked: ${error.message}`)),
  });
  const step = (work: (done: () => void) => void): Promise<void> =>
    new Promise((resolve, failed) => {
      reject = failed;
      work(resolve);
    });
  try {
    for await (const chunk of body) {
      for (let offset = 0; offset < chunk.length; offset += slice) {
        await step((done) => gunzip.write(chunk.subarray(offset, offset + slice), done));
        yield* out.splice(0);
      }
    }
    await step((done) => gunzip.end(done));
    yield* out.splice(0);
  } finally {
    gunzip.destroy();
  }
}

/** Returns whether a path matches a glob. `*` stands for any characters, `?` for one; neither matches `/`. */
export function matchesGlob(path: string, glob: string): boolean {
  const [names, patterns] = [path.split("/"), glob.split("/")];
  return names.length === patterns.length && patterns.every((pattern, index) => matches(names[index] ?? "", pattern));
}

/** Matches a name. Only the last star is tried again, so the time grows at most with the product of both lengths. */
function matches(name: string, pattern: string): boolean {
  let [nameIndex, place] = [0, 0];
  let star: { readonly place: number; nameIndex: number } | undefined;
  while (nameIndex < name.length) {
    if (pattern[place] === "*") {
      star = { place, nameIndex };
      place += 1;
    } else if (pattern[place] === "?" || pattern[place] === name[nameIndex]) {
      nameIndex += 1;
      place += 1;
    } else if (star !== undefined) {
      star.nameIndex += 1;
      nameIndex = star.nameIndex;
      place = star.place + 1;
    } else return false;
  }
  return [...pattern.slice(place)].every((character) => character === "*");
}
