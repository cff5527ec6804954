import type { JobResult } from "../../core/runs/run.ts";
import { type ShardPlan, type Unit, worksOn } from "../plan/plan-document.ts";
import {
  isLineGroup,
  isPiece,
  type LineGroup,
  type ManifestHead,
  type ManifestLine,
  manifestPath,
  type Piece,
  type PieceLine,
} from "./manifest.ts";
import { blockBytes, ManifestLines } from "./manifest-file.ts";
import { BufferedFile, bufferSize, type OpenFiles } from "./open-files.ts";

/** Consecutive lines of one dataset in a part. */
export interface Range {
  readonly shard: number;
  readonly start: number;
  readonly lines: LineGroup;
  /** With `--unique`: the rule by which equal records of different shards are found. */
  readonly sifting?: Sifting | undefined;
}

export interface Sifting {
  /** Name of the group within which keys are compared. */
  readonly group: string;
  /** Name under which dropped records are counted. */
  readonly count: string;
}

/** Reads a shard's work on a unit, line by line of its manifest. Rejects with SpileError `data` if the manifest has changed. */
export class UnitReader {
  readonly shard: number;
  readonly #lines: ManifestLines;
  /** Position of the next lines in the part, in bytes. */
  #start = 0;
  #results: readonly JobResult[] | undefined;

  constructor(shard: number, lines: ManifestLines) {
    this.shard = shard;
    this.#lines = lines;
  }

  /** Takes the first line of a unit, if it comes next in the manifest. Returns whether it did. */
  async takeUnit(number: number): Promise<boolean> {
    const line = await this.#lines.peek();
    const isNext = line !== undefined && "unit" in line && line.unit === number;
    if (isNext) this.#lines.take();
    return isNext;
  }

  /** Returns the next line without taking it; undefined if there are no more. */
  async peek(): Promise<PieceLine | undefined> {
    if (this.#results !== undefined) return undefined;
    const line: ManifestLine | undefined = await this.#lines.peek();
    if (line === undefined || "unit" in line) throw this.#lines.wrong("lacks the end of a unit");
    return "results" in line ? undefined : line;
  }

  /** Returns the next line and takes it; undefined if there are no more. */
  async take(): Promise<PieceLine | undefined> {
    const line = await this.peek();
    if (line === undefined) return undefined;
    this.#lines.take();
    if (isLineGroup(line)) this.#start += line[1];
    else if (isPiece(line)) this.#start = line.start;
    return line;
  }

  /** Yields the next ranges of lines, up to the next parent or page. */
  async *ranges(sifting?: Sifting): AsyncGenerator<Range> {
    for (let lines = await this.peek(); lines !== undefined && isLineGroup(lines); lines = await this.peek()) {
      const start = this.#start;
      await this.take();
      yield { shard: this.shard, start, lines, sifting };
    }
  }

  /** Returns the results of the unit's jobs, after skipping the rest of the unit. */
  async results(): Promise<readonly JobResult[]> {
    if (this.#results !== undefined) return this.#results;
    while ((await this.take()) !== undefined);
    const line = await this.#lines.peek();
    this.#lines.take();
    this.#results = line !== undefined && "results" in line ? line.results : [];
    return this.#results;
  }
}

/** A unit, and the work of each shard on it. */
export interface UnitParts {
  readonly unit: Unit;
  readonly parts: readonly UnitReader[];
}

/** Reads the manifests of all shards together, unit by unit. Lines that are not taken are skipped. */
export async function* readUnits(
  plan: ShardPlan,
  heads: readonly ManifestHead[],
  { folder, files }: { readonly folder: string; readonly files: OpenFiles },
): AsyncGenerator<UnitParts> {
  const size = Math.min(blockBytes, bufferSize(heads.length));
  const manifests = heads.map(({ index }) => ({
    index,
    lines: new ManifestLines(new BufferedFile(manifestPath(folder, index), files, size)),
  }));
  for (const [number, unit] of plan.units.entries()) {
    const unitManifests = manifests.filter(({ index }) => worksOn(index, unit));
    const parts = unitManifests.map(({ index, lines }) => new UnitReader(index, lines));
    for (const [place, part] of parts.entries()) {
      if (!(await part.takeUnit(number))) throw unitManifests[place]?.lines.wrong("has changed while it was merged");
    }
    yield { unit, parts };
    for (const part of parts) await part.results();
  }
}

/** Returns the results of each shard, after skipping the rest of the unit. */
export async function resultsOf(parts: readonly UnitReader[]): Promise<readonly (readonly JobResult[])[]> {
  const results: (readonly JobResult[])[] = [];
  for (const part of parts) results.push(await part.results());
  return results;
}

/**
 * Yields the pages of all shards in the order of their numbers. The pages of each shard must be in this order. Lines of a page
 * that are not taken are skipped.
 */
export async function* inOrder(
  parts: readonly UnitReader[],
  numberOf: (piece: Piece) => number,
): AsyncGenerator<{ readonly part: UnitReader; readonly piece: Piece }> {
  let [place, last] = [0, -1];
  for (;;) {
    let first: { readonly part: UnitReader; readonly piece: Piece; readonly place: number } | undefined;
    for (const number of candidates(place, parts.length)) {
      const part = parts[number];
      const piece = part && (await nextPiece(part));
      if (part === undefined || piece === undefined) continue;
      if (first === undefined || numberOf(piece) < numberOf(first.piece)) first = { part, piece, place: number };
      if (numberOf(first.piece) <= last + 1) break;
    }
    if (first === undefined) return;
    place = first.place;
    last = numberOf(first.piece);
    await first.part.take();
    yield first;
  }
}

/** Yields the shards that may have the next page, the likeliest first: the shard of the last page, the shard after it, then all. */
function* candidates(last: number, count: number): Generator<number> {
  yield last;
  yield (last + 1) % count;
  for (let place = 0; place < count; place += 1) yield place;
}

async function nextPiece(part: UnitReader): Promise<Piece | undefined> {
  for (let line = await part.peek(); line !== undefined; line = await part.peek()) {
    if (isPiece(line)) return line;
    await part.take();
  }
  return undefined;
}
