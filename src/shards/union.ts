import type { JobResult } from "../core/run.ts";
import { judgeStrides, type StridedPiece } from "./judge-strides.ts";
import { bytesOf, type LineRun, type Piece, type UnitPart } from "./manifest.ts";
import { type Dropped, runsResults, sharedResults, stridedResults } from "./merged-results.ts";
import type { RunsUnit, SharedUnit, StridedUnit, Unit } from "./plan-document.ts";

/** Lines of a part, in the order of the output. */
export interface Range {
  readonly shard: number;
  readonly start: number;
  readonly datasets: readonly LineRun[];
  /** With `--unique`: how those are told from each other that no shard could. */
  readonly sifting?: Sifting | undefined;
}

export interface Sifting {
  /** Keys of one group are remembered together. */
  readonly group: string;
  /** What is dropped is counted under this. */
  readonly count: string;
}

/** A unit brought together. */
export interface Union {
  readonly ranges: readonly Range[];
  readonly results: readonly JobResult[];
  /** What one run would have warned of. */
  readonly warnings: readonly string[];
}

/**
 * Brings together what shards wrote of a unit. `dropped`: what sifting the ranges has come to, once that is known. Throws
 * SpileError `data` where that cannot be.
 */
export function unionOf(unit: Unit, parts: readonly UnitPart[], dropped?: Dropped): Union {
  if (unit.kind === "strides") return stridedUnion(unit, parts, dropped);
  if (unit.kind === "shared") return sharedUnion(unit, parts, dropped);
  if (unit.kind === "runs") return runsUnion(unit, parts);
  const ranges = parts.flatMap(({ shard, part }) => part.pieces.map((piece) => ownRange(shard, piece)));
  return { ranges, results: parts.flatMap(({ part }) => part.results), warnings: [] };
}

/** Each run with all its pages, in the order of one run. */
function runsUnion({ evidence }: RunsUnit, parts: readonly UnitPart[]): Union {
  const pieces = parts.flatMap(({ shard, part }) => part.pieces.map((piece) => ({ shard, piece })));
  pieces.sort((a, b) => (a.piece.run ?? 0) - (b.piece.run ?? 0));
  return {
    ranges: pieces.map(({ shard, piece }) => ownRange(shard, piece)),
    results: runsResults(
      parts.map(({ part }) => part.results),
      evidence ? repeatedWindows(pieces.map(({ piece }) => piece)) : [],
    ),
    warnings: [],
  };
}

/** The names of windows that begin as the one before them did, and not with nothing. `pieces` in the order of one run. */
function repeatedWindows(pieces: readonly Piece[]): readonly string[] {
  const repeated: string[] = [];
  const digests = new Map<number, string | undefined>();
  for (const [place, { run, window, summary }] of pieces.entries()) {
    if (window === undefined || pieces[place - 1]?.run === run) continue;
    const { index, endpoint, name } = window;
    const digest = summary.records > 0 ? summary.digest : undefined;
    if (index > 0 && digest !== undefined && digests.get(endpoint) === digest) repeated.push(name);
    digests.set(endpoint, digest);
  }
  return repeated;
}

function stridedUnion(unit: StridedUnit, parts: readonly UnitPart[], dropped: Dropped | undefined): Union {
  const all = parts.flatMap(({ shard, part }) =>
    part.pieces.map((piece): StridedPiece => ({ shard, piece: withDropped(piece, dropped) })),
  );
  const judgement = judgeStrides(unit, all);
  const shards = parts.map(({ part }) => part.results);
  return {
    ranges: judgement.pieces.map(({ shard, piece }) => {
      return { ...ownRange(shard, piece), sifting: { group: "pages", count: String(piece.page) } };
    }),
    results: stridedResults(judgement, shards, dropped),
    warnings: judgement.warnings,
  };
}

function withDropped(piece: Piece, dropped: Dropped | undefined): Piece {
  const more = dropped?.get(String(piece.page)) ?? 0;
  return more === 0 ? piece : { ...piece, summary: { ...piece.summary, dropped: piece.summary.dropped + more } };
}

function ownRange(shard: number, { start, datasets }: Piece): Range {
  return { shard, start, datasets };
}

/** The records of the shard that writes the listing, each page followed by what its parents' shards wrote of them. */
function sharedUnion(unit: SharedUnit, parts: readonly UnitPart[], dropped: Dropped | undefined): Union {
  const written = new Map<string, Range[]>();
  for (const { shard, part } of parts) {
    for (const [key, range] of part.pieces.flatMap((piece) => parentRanges(shard, piece))) {
      const known = written.get(key);
      if (known === undefined) written.set(key, [range]);
      else known.push(range);
    }
  }
  for (const queue of written.values()) queue.reverse();
  const ranges: Range[] = [];
  let missing = 0;
  const listing = parts.find(({ shard }) => shard === unit.shard)?.part.pieces ?? [];
  for (const piece of listing) {
    ranges.push(ownRange(unit.shard, piece));
    for (const key of piece.listed ?? []) {
      const range = written.get(key)?.pop();
      if (range === undefined) missing += 1;
      else ranges.push(range);
    }
  }
  const others = [...written.values()].flatMap((queue) => queue.reverse());
  for (const range of others) ranges.push(range);
  const differing = missing + others.length;
  return { ranges, results: sharedResults(unit.shard, parts, { differing, dropped }), warnings: [] };
}

function parentRanges(shard: number, { start, datasets, parents = [] }: Piece): [string, Range][] {
  let at = start + bytesOf(datasets);
  return parents.map(({ key, datasets: own }): [string, Range] => {
    const begin = at;
    at += bytesOf(own);
    const sifting = { group: key.slice(0, key.indexOf(":")), count: own[0]?.[0] ?? "" };
    return [key, { shard, start: begin, datasets: own, sifting }];
  });
}
