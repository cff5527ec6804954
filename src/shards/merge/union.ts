import type { JobResult } from "../../core/runs/run.ts";
import { isPiece, type Piece } from "../manifest/manifest.ts";
import { inOrder, type Range, resultsOf, type UnitParts, type UnitReader } from "../manifest/unit-reader.ts";
import type { RunsUnit, StridedUnit, WholeUnit } from "../plan/plan-document.ts";
import { type Judgement, StridesJudge } from "./judge-strides.ts";
import { MergedIncrement } from "./merged-increment.ts";
import {
  type Dropped,
  type Known,
  LineCount,
  RepeatedWindows,
  runsResults,
  stridedResults,
  type Union,
} from "./merged-results.ts";
import { sharedUnion } from "./shared-union.ts";

/**
 * Brings together what shards wrote of a unit: gives its lines in the order of one run, and answers how its jobs ended. Which pages
 * behind the end of a divided job are written shows at its end alone: the first time they are left out. Rejects with SpileError
 * `data` where the parts cannot be brought together.
 */
export function unionOf({ unit, parts }: UnitParts, known: Known): AsyncGenerator<Range, Union> {
  if (unit.kind === "strides") return stridedUnion(unit, parts, known);
  if (unit.kind === "shared") return sharedUnion(unit, parts, known);
  return unit.kind === "runs" ? runsUnion(unit, parts) : wholeUnion(unit, parts);
}

async function* wholeUnion(
  { increment: planned }: WholeUnit,
  parts: readonly UnitReader[],
): AsyncGenerator<Range, Union> {
  const increment = new MergedIncrement(planned);
  const results: JobResult[] = [];
  for (const part of parts) {
    for (let line = await part.take(); line !== undefined; line = await part.take()) {
      if (isPiece(line)) increment.add(line);
      yield* part.ranges();
    }
    results.push(...(await part.results()));
  }
  const movedParents = parts.flatMap(({ moved }) => moved);
  return { results, warnings: [], behind: false, moved: increment.moved(results), movedParents };
}

/** Each run with all its pages, in the order of one run. */
async function* runsUnion(
  { evidence, increment: planned }: RunsUnit,
  parts: readonly UnitReader[],
): AsyncGenerator<Range, Union> {
  const increment = new MergedIncrement(planned);
  const windows = new RepeatedWindows();
  for await (const { part, piece } of inOrder(parts, ({ run = 0 }) => run)) {
    windows.add(piece);
    increment.add(piece);
    yield* part.ranges();
  }
  const results = runsResults(await resultsOf(parts), evidence ? windows : new RepeatedWindows());
  return { results, warnings: [], behind: false, moved: increment.moved(results) };
}

async function* stridedUnion(
  unit: StridedUnit,
  parts: readonly UnitReader[],
  { union, dropped }: Known,
): AsyncGenerator<Range, Union> {
  const judge = new StridesJudge(unit);
  const increment = new MergedIncrement(unit.increment);
  const counts = { written: new LineCount(), behind: new LineCount() };
  for await (const { part, piece: otherPiece } of inOrder(parts, ({ page }) => page)) {
    const piece = withDropped(otherPiece, dropped);
    const place = judge.add(part.shard, piece);
    if (place === "repeated" || (place === "behind" && piece.summary.records === 0)) continue;
    const isWritten = place === "written" || union?.behind === true;
    counts[place].addPage(piece);
    if (place === "written") increment.add(piece);
    for await (const range of part.ranges({ group: "pages", count: String(piece.page) })) {
      counts[place].add(range.lines);
      if (isWritten) yield range;
    }
  }
  const judgement = withDoubt(judge.judgement(), unit.doubt);
  if (judgement.behind) counts.written.addAll(counts.behind);
  const results = stridedResults(judgement, await resultsOf(parts), { lines: counts.written, dropped });
  const { warnings, behind } = judgement;
  return { results, warnings, behind, moved: increment.moved(results) };
}

function withDoubt(judgement: Judgement, doubt: string | undefined): Judgement {
  if (doubt === undefined || judgement.verdict.kind === "suspect") return judgement;
  return { ...judgement, verdict: { ...judgement.verdict, kind: "suspect", reason: doubt } };
}

function withDropped(piece: Piece, dropped: Dropped | undefined): Piece {
  const more = dropped?.get(String(piece.page)) ?? 0;
  return more === 0 ? piece : { ...piece, summary: { ...piece.summary, dropped: piece.summary.dropped + more } };
}
