import { once } from "node:events";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { exitCodes, SpileError } from "../core/errors.ts";
import type { JobResult, Target } from "../core/run.ts";
import { tagRecords } from "../extract/records.ts";
import { openSink } from "../output/open-sink.ts";
import type { OutputLines } from "../output/sink.ts";
import { judgeStrides, type StridedPiece } from "./judge-strides.ts";
import { type Manifest, type ManifestUnit, type Piece, partName } from "./manifest.ts";
import { stridedResults } from "./merged-results.ts";
import type { ReadPlan, Unit } from "./plan-document.ts";
import { verifiedParts } from "./verify-parts.ts";

export interface MergeOptions {
  readonly target: Target;
  readonly tag: boolean;
  /** A suspect union is an error. */
  readonly strict: boolean;
  readonly signal: AbortSignal;
  /** Told of what one run would have warned of. */
  warn(message: string, job: string): void;
}

/** What the parts came to. */
export interface Merged {
  readonly jobs: readonly JobResult[];
  readonly records: number;
  readonly exitCode: number;
  readonly manifests: readonly Manifest[];
}

/** A range of a part, in the order of the output. */
interface Range {
  readonly shard: number;
  readonly piece: Piece;
}

/**
 * Proves that the parts of a plan are all there and whole, and writes their records in the order of one run. Rejects with
 * SpileError `temporary` for missing shards, `data` for parts that cannot be brought together; nothing is written then.
 */
export async function mergeParts(read: ReadPlan, folder: string, options: MergeOptions): Promise<Merged> {
  const manifests = await verifiedParts(read, folder);
  const ranges: Range[] = [];
  const jobs: JobResult[] = [];
  for (const [number, unit] of read.plan.units.entries()) {
    const parts = manifests.flatMap(({ index, units }) => {
      const part = units.find((one) => one.unit === number);
      return part === undefined ? [] : [{ shard: index, part }];
    });
    const { pieces, results, warnings } = unitOf(unit, parts);
    for (const warning of warnings) options.warn(warning, unit.name);
    // One by one: a spread of very many would be too much for a call.
    for (const piece of pieces) ranges.push(piece);
    jobs.push(...results);
  }
  const names = new Set(jobs.map(({ dataType }) => dataType));
  const records = await write(ranges, manifests, folder, [...names], options);
  const suspect = options.strict && jobs.some(({ verdict }) => verdict === "suspect");
  return { jobs, records, manifests, exitCode: suspect ? exitCodes.suspect : exitCodes.success };
}

interface UnitPart {
  readonly shard: number;
  readonly part: ManifestUnit;
}

function unitOf(
  unit: Unit,
  parts: readonly UnitPart[],
): { pieces: readonly Range[]; results: readonly JobResult[]; warnings: readonly string[] } {
  const all = parts.flatMap(({ shard, part }) => part.pieces.map((piece): StridedPiece => ({ shard, piece })));
  if (unit.kind === "whole") return { pieces: all, results: parts.flatMap(({ part }) => part.results), warnings: [] };
  const judgement = judgeStrides(unit, all);
  const results = stridedResults(
    judgement,
    parts.map(({ part }) => part.results),
  );
  return { pieces: judgement.pieces, results, warnings: judgement.warnings };
}

/** Answers the lines written. */
async function write(
  ranges: readonly Range[],
  manifests: readonly Manifest[],
  folder: string,
  datasets: readonly string[],
  { target, tag, signal }: MergeOptions,
): Promise<number> {
  const sink = await openSink(target, new Map(datasets.map((name) => [name, { name }])));
  try {
    for (const { shard, piece } of ranges) {
      const manifest = manifests[shard];
      if (manifest === undefined || piece.bytes === 0) continue;
      for await (const lines of linesOf(join(folder, partName(manifest)), piece)) {
        signal.throwIfAborted();
        const out = tag ? { ...lines, bytes: tagRecords(lines.bytes, lines.dataset) } : lines;
        if (!sink.stream.write(out)) await once(sink.stream, "drain", { signal });
      }
    }
    sink.stream.end();
    await finished(sink.stream);
    await sink.commit();
    return sink.records();
  } catch (error) {
    await sink.discard();
    throw signal.aborted ? signal.reason : (sink.stream.errored ?? error);
  }
}

/** The whole lines of a range, in pieces that fit in memory. */
async function* linesOf(path: string, { start, bytes, datasets }: Piece): AsyncGenerator<OutputLines> {
  const stream = createReadStream(path, { start, end: start + bytes - 1, highWaterMark: 1024 * 1024 });
  const left = datasets.map(([dataset, length]) => ({ dataset, length }));
  let unfinished: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
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

function changed(path: string): SpileError {
  return new SpileError("data", `${path} has changed while it was merged`);
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}
