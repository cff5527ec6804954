import { join } from "node:path";
import { type Unique, uniqueOf } from "../compile/unique.ts";
import { messageOf, SpileError } from "../core/errors.ts";
import type { OutputLines } from "../output/sink.ts";
import { countLines } from "../pipeline/extract/hold.ts";
import { createSieve, type Sieve } from "../pipeline/extract/sieve.ts";
import { KeySet } from "../pipeline/key-set.ts";
import { type ManifestHead, partName } from "./manifest.ts";
import { BufferedFile, bufferSize, type OpenFiles } from "./open-files.ts";
import type { ShardPlan } from "./plan-document.ts";
import type { Range } from "./unit-reader.ts";

export interface MergedLinesOptions {
  readonly folder: string;
  readonly files: OpenFiles;
  readonly heads: readonly ManifestHead[];
  readonly plan: Pick<ShardPlan, "unique" | "uniqueLimit">;
  /** Are lines of several datasets not to come in one piece? */
  readonly apart: boolean;
  /** Told of the size of every piece. */
  readonly received: ((bytes: number) => void) | undefined;
}

/** Bytes of lines that are given at a time; more where a single line is longer. */
const givenBytes = 512 * 1024;

/** The lines of ranges of parts. */
export class MergedLines {
  readonly #options: MergedLinesOptions;
  readonly #unique: Unique | undefined;
  readonly #parts: readonly BufferedFile[];
  /** What is gathered to be given. */
  #buffer = Buffer.allocUnsafeSlow(givenBytes);
  #length = 0;

  constructor(options: MergedLinesOptions) {
    const { folder, files, heads, plan } = options;
    this.#options = options;
    this.#unique = uniqueOf(plan.unique, plan.uniqueLimit);
    const size = bufferSize(heads.length);
    this.#parts = heads.map((head) => new BufferedFile(join(folder, partName(head)), files, size));
  }

  /**
   * What is left of the ranges of one unit once they are sifted; `dropped` is told how many records each has lost. The bytes of what
   * is given are gone with the next. Rejects with SpileError `data` where a part is not as it was.
   */
  async *of(
    ranges: AsyncIterable<Range>,
    dropped: (range: Range, records: number) => void = () => undefined,
  ): AsyncGenerator<OutputLines> {
    const unique = this.#unique;
    const groups = new Map<string, KeySet>();
    let dataset = "";
    for await (const range of ranges) {
      const { lines, sifting } = range;
      if (lines[0] !== dataset && this.#options.apart) yield* this.#give(dataset);
      [dataset] = lines;
      if (unique === undefined || sifting === undefined) {
        yield* this.#gather(range);
        continue;
      }
      yield* this.#give(dataset);
      const keys = groups.get(sifting.group) ?? new KeySet(unique.limit);
      groups.set(sifting.group, keys);
      // That records have no key the shards have said.
      const sieve = createSieve(unique, keys, { tag: false, warn: () => undefined });
      yield* this.#sifted(range, sieve);
      dropped(range, sieve.dropped.size);
    }
    yield* this.#give(dataset);
  }

  async *#sifted(range: Range, sieve: Sieve): AsyncGenerator<OutputLines> {
    for await (const some of this.#gather(range)) yield* sieve.sift([some]);
    for (const some of this.#give(range.lines[0])) yield* sieve.sift([some]);
  }

  /** Whole lines, where there are more of them than fit; what is left is not given yet. */
  async *#gather({ shard, start, lines: [dataset, bytes] }: Range): AsyncGenerator<OutputLines> {
    const part = this.#parts[shard];
    if (part === undefined) throw new Error("a range of no part");
    for (let at = start; at < start + bytes; ) {
      if (this.#length === this.#buffer.length) yield* this.#give(dataset);
      const some = await readSome(part, at, Math.min(start + bytes - at, this.#buffer.length - this.#length));
      this.#options.received?.(some.length);
      some.copy(this.#buffer, this.#length);
      this.#length += some.length;
      at += some.length;
    }
    if (bytes > 0 && this.#buffer[this.#length - 1] !== newLine) throw changed(part.path);
  }

  /** What is gathered of whole lines. Where it is full and has none, it is made larger. */
  *#give(dataset: string): Generator<OutputLines> {
    const buffer = this.#buffer;
    const end = buffer.lastIndexOf(newLine, this.#length - 1) + 1;
    if (this.#length === 0) return;
    if (end === 0) {
      this.#buffer = Buffer.allocUnsafeSlow(2 * buffer.length);
      buffer.copy(this.#buffer, 0, 0, this.#length);
      return;
    }
    const bytes = buffer.subarray(0, end);
    yield { dataset, bytes, records: countLines(bytes) };
    buffer.copy(buffer, 0, end, this.#length);
    this.#length -= end;
  }
}

const newLine = 10;

async function readSome(part: BufferedFile, at: number, most: number): Promise<Buffer> {
  let some: Buffer;
  try {
    some = await part.bytes(at, most);
  } catch (error) {
    throw new SpileError("data", `${part.path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (some.length === 0) throw changed(part.path);
  return some;
}

function changed(path: string): SpileError {
  return new SpileError("data", `${path} has changed while it was merged`);
}
