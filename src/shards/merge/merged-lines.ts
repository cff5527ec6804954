import { join } from "node:path";
import { type Unique, uniqueOf } from "../../compile/jobs/unique.ts";
import { messageOf, SpileError } from "../../core/errors.ts";
import type { Lines } from "../../core/runs/lines.ts";
import { countLines } from "../../pipeline/extract/hold.ts";
import { createSieve, type Sieve } from "../../pipeline/extract/sieve.ts";
import { KeySet } from "../../pipeline/key-set.ts";
import { type ManifestHead, partName } from "../manifest/manifest.ts";
import { BufferedFile, bufferSize, type OpenFiles } from "../manifest/open-files.ts";
import type { Range } from "../manifest/unit-reader.ts";
import type { ShardPlan } from "../plan/plan-document.ts";

export interface MergedLinesOptions {
  readonly folder: string;
  readonly files: OpenFiles;
  readonly heads: readonly ManifestHead[];
  readonly plan: Pick<ShardPlan, "unique" | "uniqueLimit">;
  /** True if each yielded block must contain lines of one dataset only. */
  readonly separatesDatasets: boolean;
  /** Called with the number of bytes of every block that is read from a part. */
  readonly received: ((bytes: number) => void) | undefined;
}

/** Size of the buffer at first. It grows if a single line is longer. */
const bufferBytes = 512 * 1024;

/** Reads the lines in the ranges of the shards' parts. */
export class MergedLines {
  readonly #options: MergedLinesOptions;
  readonly #unique: Unique | undefined;
  readonly #parts: readonly BufferedFile[];
  /** Lines that were read and not yielded yet. */
  #buffer = Buffer.allocUnsafeSlow(bufferBytes);
  #length = 0;

  constructor(options: MergedLinesOptions) {
    const { folder, files, heads, plan } = options;
    this.#options = options;
    this.#unique = uniqueOf(plan.unique, plan.uniqueLimit);
    const size = bufferSize(heads.length);
    this.#parts = heads.map((head) => new BufferedFile(join(folder, partName(head)), files, size));
  }

  /**
   * Yields the lines of one unit's ranges that remain after sifting. Calls `onDropped` with the number of records that sifting removes
   * from each range. The bytes are valid until the next block. Rejects with SpileError `data` if a part has changed.
   */
  async *of(
    ranges: AsyncIterable<Range>,
    onDropped: (range: Range, records: number) => void = () => undefined,
  ): AsyncGenerator<Lines> {
    const unique = this.#unique;
    const groups = new Map<string, KeySet>();
    let dataset = "";
    for await (const range of ranges) {
      const { lines, sifting } = range;
      if (lines[0] !== dataset && this.#options.separatesDatasets) yield* this.#flush(dataset);
      [dataset] = lines;
      if (unique === undefined || sifting === undefined) {
        yield* this.#fill(range);
        continue;
      }
      yield* this.#flush(dataset);
      const keys = groups.get(sifting.group) ?? new KeySet(unique.limit);
      groups.set(sifting.group, keys);
      // The shards have already warned about records without a key.
      const sieve = createSieve(unique, keys, { tag: false, warn: () => undefined });
      yield* this.#sifted(range, sieve);
      onDropped(range, sieve.dropped.size);
    }
    yield* this.#flush(dataset);
  }

  async *#sifted(range: Range, sieve: Sieve): AsyncGenerator<Lines> {
    for await (const some of this.#fill(range)) yield* sieve.sift([some]);
    for (const some of this.#flush(range.lines[0])) yield* sieve.sift([some]);
  }

  /** Reads a range into the buffer. Yields whole lines when the buffer is full. */
  async *#fill({ shard, start, lines: [dataset, bytes] }: Range): AsyncGenerator<Lines> {
    const part = this.#parts[shard];
    if (part === undefined) throw new Error("a range of no part");
    for (let offset = start; offset < start + bytes; ) {
      if (this.#length === this.#buffer.length) yield* this.#flush(dataset);
      const some = await readSome(part, offset, Math.min(start + bytes - offset, this.#buffer.length - this.#length));
      this.#options.received?.(some.length);
      some.copy(this.#buffer, this.#length);
      this.#length += some.length;
      offset += some.length;
    }
    if (bytes > 0 && this.#buffer[this.#length - 1] !== newLine) throw changed(part.path);
  }

  /** Yields the whole lines of the buffer. A full buffer without a whole line is enlarged. */
  *#flush(dataset: string): Generator<Lines> {
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

async function readSome(part: BufferedFile, offset: number, most: number): Promise<Buffer> {
  let some: Buffer;
  try {
    some = await part.bytes(offset, most);
  } catch (error) {
    throw new SpileError("data", `${part.path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (some.length === 0) throw changed(part.path);
  return some;
}

function changed(path: string): SpileError {
  return new SpileError("data", `${path} has changed while it was merged`);
}
