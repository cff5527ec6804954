import type { JobResult } from "../core/run.ts";
import {
  isLineRun,
  isPiece,
  type LineRun,
  type ManifestHead,
  type ManifestLine,
  manifestPath,
  type Piece,
  type PieceLine,
} from "./manifest.ts";
import { blockBytes, ManifestLines } from "./manifest-file.ts";
import { BufferedFile, bufferSize, type OpenFiles } from "./open-files.ts";
import { isOf, type ShardPlan, type Unit } from "./plan-document.ts";

/** Lines of a part, of one dataset. */
export interface Range {
  readonly shard: number;
  readonly start: number;
  readonly lines: LineRun;
  /** With `--unique`: how those are told from each other that no shard could. */
  readonly sifting?: Sifting | undefined;
}

export interface Sifting {
  /** Keys of one group are remembered together. */
  readonly group: string;
  /** What is dropped is counted under this. */
  readonly count: string;
}

/** What a shard wrote of a unit, line by line of its manifest. Rejects with SpileError `data` where that is not as it was. */
export class UnitReader {
  readonly shard: number;
  readonly #lines: ManifestLines;
  /** Where in the part the next lines are. */
  #at = 0;
  #results: readonly JobResult[] | undefined;

  constructor(shard: number, lines: ManifestLines) {
    this.shard = shard;
    this.#lines = lines;
  }

  /** Is this the unit that comes next in the manifest? */
  async begins(number: number): Promise<boolean> {
    const line = await this.#lines.peek();
    const isIt = line !== undefined && "unit" in line && line.unit === number;
    if (isIt) this.#lines.take();
    return isIt;
  }

  /** The next line, which stays; undefined behind the last. */
  async peek(): Promise<PieceLine | undefined> {
    if (this.#results !== undefined) return undefined;
    const line: ManifestLine | undefined = await this.#lines.peek();
    if (line === undefined || "unit" in line) throw this.#lines.wrong("has no end of a unit");
    return "results" in line ? undefined : line;
  }

  async take(): Promise<PieceLine | undefined> {
    const line = await this.peek();
    if (line === undefined) return undefined;
    this.#lines.take();
    if (isLineRun(line)) this.#at += line[1];
    else if (isPiece(line)) this.#at = line.start;
    return line;
  }

  /** The lines that stand next, up to those of another parent or page. */
  async *ranges(sifting?: Sifting): AsyncGenerator<Range> {
    for (let lines = await this.peek(); lines !== undefined && isLineRun(lines); lines = await this.peek()) {
      const start = this.#at;
      await this.take();
      yield { shard: this.shard, start, lines, sifting };
    }
  }

  /** How the unit's jobs ended; what is left of it is passed by. */
  async results(): Promise<readonly JobResult[]> {
    if (this.#results !== undefined) return this.#results;
    while ((await this.take()) !== undefined);
    const line = await this.#lines.peek();
    this.#lines.take();
    this.#results = line !== undefined && "results" in line ? line.results : [];
    return this.#results;
  }
}

/** A unit, and what each of its shards wrote of it. */
export interface UnitParts {
  readonly unit: Unit;
  readonly parts: readonly UnitReader[];
}

/** Reads the manifests of all shards side by side, unit by unit: what is not taken of one is passed by. */
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
    const own = manifests.filter(({ index }) => isOf(unit, index));
    const parts = own.map(({ index, lines }) => new UnitReader(index, lines));
    for (const [place, part] of parts.entries()) {
      if (!(await part.begins(number))) throw own[place]?.lines.wrong("has changed while it was merged");
    }
    yield { unit, parts };
    for (const part of parts) await part.results();
  }
}

/** Of each shard. What is left of the unit is passed by. */
export async function resultsOf(parts: readonly UnitReader[]): Promise<readonly (readonly JobResult[])[]> {
  const results: (readonly JobResult[])[] = [];
  for (const part of parts) results.push(await part.results());
  return results;
}

/** The pages of all shards by their numbers; each shard has its own in order. What is not taken of a page is passed by. */
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

/** What comes next is mostly another page of the same shard, or the next shard's. */
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
