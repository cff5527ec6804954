import { createReadStream } from "node:fs";
import { join } from "node:path";
import { type Unique, uniqueOf } from "../compile/unique.ts";
import { SpileError } from "../core/errors.ts";
import type { OutputLines } from "../output/sink.ts";
import { countLines } from "../pipeline/extract/hold.ts";
import { createSieve } from "../pipeline/extract/sieve.ts";
import { KeySet } from "../pipeline/key-set.ts";
import { bytesOf, type Manifest, partName } from "./manifest.ts";
import type { ShardPlan } from "./plan-document.ts";
import type { Range } from "./union.ts";

export interface MergedLinesOptions {
  readonly folder: string;
  readonly manifests: readonly Manifest[];
  readonly plan: Pick<ShardPlan, "unique" | "uniqueLimit">;
  /** Told of the size of every piece. */
  readonly received: ((bytes: number) => void) | undefined;
}

/** The lines of ranges of parts, in pieces that fit in memory. */
export class MergedLines {
  readonly #options: MergedLinesOptions;
  readonly #unique: Unique | undefined;

  constructor(options: MergedLinesOptions) {
    this.#options = options;
    this.#unique = uniqueOf(options.plan.unique, options.plan.uniqueLimit);
  }

  /** What is left of the ranges of one unit once they are sifted; `dropped` is told how many records each has lost. */
  async *of(
    ranges: readonly Range[],
    dropped: (range: Range, records: number) => void = () => undefined,
  ): AsyncGenerator<OutputLines> {
    const unique = this.#unique;
    const groups = new Map<string, KeySet>();
    for (const range of ranges) {
      const { sifting } = range;
      if (unique === undefined || sifting === undefined) {
        yield* this.#lines(range);
        continue;
      }
      const keys = groups.get(sifting.group) ?? new KeySet(unique.limit);
      groups.set(sifting.group, keys);
      // That records have no key the shards have said.
      const sieve = createSieve(unique, keys, { tag: false, warn: () => undefined });
      for await (const lines of this.#lines(range)) yield* sieve.sift([lines]);
      dropped(range, sieve.dropped.size);
    }
  }

  /** Whole lines. */
  async *#lines({ shard, start, datasets }: Range): AsyncGenerator<OutputLines> {
    const { folder, manifests, received } = this.#options;
    const manifest = manifests[shard];
    const bytes = bytesOf(datasets);
    if (manifest === undefined || bytes === 0) return;
    const path = join(folder, partName(manifest));
    const stream = createReadStream(path, { start, end: start + bytes - 1, highWaterMark: 256 * 1024 });
    const left = datasets.map(([dataset, length]) => ({ dataset, length }));
    let unfinished: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      received?.(chunk.length);
      for (let from = 0; from < chunk.length; ) {
        const current = left[0];
        if (current === undefined) throw changed(path);
        const to = Math.min(chunk.length, from + current.length);
        const taken = chunk.subarray(from, to);
        const end = taken.lastIndexOf(10) + 1;
        if (end > 0) {
          const whole = Buffer.concat([...unfinished, taken.subarray(0, end)]);
          yield { dataset: current.dataset, bytes: whole, records: countLines(whole) };
          unfinished = [];
        }
        if (end < taken.length) unfinished.push(taken.subarray(end));
        current.length -= taken.length;
        from = to;
        if (current.length > 0) continue;
        if (unfinished.length > 0) throw changed(path);
        left.shift();
      }
    }
    if (left.length > 0) throw changed(path);
  }
}

function changed(path: string): SpileError {
  return new SpileError("data", `${path} has changed while it was merged`);
}
