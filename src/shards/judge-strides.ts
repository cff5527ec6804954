import { counted } from "../core/counted.ts";
import { SpileError } from "../core/errors.ts";
import type { Verdict } from "../core/page.ts";
import { createScroll } from "../pagination/index.ts";
import type { Advance } from "../pagination/scroll.ts";
import { figuresOf, signalPlaceName } from "../pagination/signals.ts";
import { type Piece, summaryOf } from "./manifest.ts";
import type { StridedUnit } from "./plan-document.ts";

/** A page of a divided job, and the shard that wrote it. */
export interface StridedPiece {
  readonly shard: number;
  readonly piece: Piece;
}

/** What one run would have made of the pages. */
export interface Judgement {
  /** Those to be written, in order. */
  readonly pieces: readonly StridedPiece[];
  /** Pages up to the end. */
  readonly pages: number;
  readonly verdict: Verdict;
  readonly warnings: readonly string[];
}

/**
 * Goes through the pages of a divided job as one run would, and judges its end. Throws SpileError `data` where a page is
 * missing that one run would have written.
 */
export function judgeStrides(unit: StridedUnit, all: readonly StridedPiece[]): Judgement {
  const { scroller, evidence, dataField, start, name } = unit;
  const scroll = createScroll(scroller, { evidence, dataField });
  const byPage = new Map(all.map((one) => [one.piece.page, one]));
  const pieces: StridedPiece[] = [];
  const warnings = new Set<string>();
  let position = start;
  for (let page = 0; ; page += 1) {
    const found = byPage.get(page);
    if (found === undefined) throw new SpileError("data", missingPage(page, all), { job: name });
    const step = scroll.advance(position, summaryOf(found.piece.summary), 0);
    if (step.failure !== undefined) throw new SpileError("data", step.failure.message, { job: name, page: page + 1 });
    for (const warning of step.warnings) warnings.add(warning);
    if (!step.repeated) pieces.push(found);
    if (step.next === undefined) return { ...judged(step, found, pieces, all), warnings: [...warnings] };
    position = step.next;
  }
}

/** The pages end here. What shards have found behind the end, and what totals they were told, may speak against it. */
function judged(
  { verdict, repeated }: Advance,
  last: StridedPiece,
  written: readonly StridedPiece[],
  all: readonly StridedPiece[],
): Omit<Judgement, "warnings"> {
  if (verdict === undefined) throw new Error("a job ended without a verdict");
  const end = last.piece.page;
  const beyond = repeated && verdict.kind === "suspect" ? [] : recordsBehind(last, all);
  const doubts = [...beyondText(end, beyond), ...totalsText(all)];
  const pieces = [...written, ...beyond];
  if (doubts.length === 0) return { pieces, pages: end + 1, verdict };
  const reason = `${verdict.reason}, but ${doubts.join(", and ")}: the data changed while the shards ran; run them again`;
  return { pieces, pages: end + 1 + beyond.length, verdict: { ...verdict, kind: "suspect", reason } };
}

/** Pages with records behind the last one; none where the API answers every page behind it with the last one. */
function recordsBehind({ piece }: StridedPiece, all: readonly StridedPiece[]): readonly StridedPiece[] {
  const { digest, records } = piece.summary;
  const behind = all.filter((one) => one.piece.page > piece.page).sort((a, b) => a.piece.page - b.piece.page);
  const isClamped = behind.every(({ piece: { summary } }) => summary.digest === digest && summary.records === records);
  return isClamped ? [] : behind.filter(({ piece: { summary } }) => summary.records > 0);
}

const shownPages = 10;

function beyondText(end: number, beyond: readonly StridedPiece[]): string[] {
  if (beyond.length === 0) return [];
  const numbers = beyond.map(({ piece }) => piece.page + 1);
  const shown = numbers.slice(0, shownPages).join(", ") + (numbers.length > shownPages ? ", ..." : "");
  const records = beyond.reduce((sum, { piece }) => sum + piece.summary.records, 0);
  return [
    `behind page ${end + 1} there are ${counted(records, "record")} on ${counted(beyond.length, "page")} (${shown})`,
  ];
}

/**
 * A total of all records that was not the same on all pages, those behind the end included. One that counts each page's own
 * records is none, nor is that of nothing where there is nothing.
 */
function totalsText(pieces: readonly StridedPiece[]): string[] {
  const told = new Map<string, { readonly texts: Set<string>; own: boolean }>();
  for (const { piece } of pieces) {
    const summary = summaryOf(piece.summary);
    for (const { kind, origin, text } of figuresOf(summary, undefined)) {
      if (kind !== "total" || (summary.records === 0 && text === "0")) continue;
      const known = told.get(signalPlaceName(origin)) ?? { texts: new Set(), own: true };
      known.texts.add(text);
      known.own &&= text === String(summary.records);
      told.set(signalPlaceName(origin), known);
    }
  }
  return [...told].flatMap(([name, { texts, own }]) =>
    texts.size < 2 || own ? [] : [`${name} was ${[...texts].slice(0, shownPages).join(", ")}`],
  );
}

function missingPage(page: number, all: readonly StridedPiece[]): string {
  const ends = all.filter(({ piece }) => piece.ended !== undefined && piece.page < page);
  const last = ends.sort((a, b) => b.piece.page - a.piece.page)[0];
  const why =
    last === undefined ? "" : `; shard ${last.shard} ended at page ${last.piece.page + 1}: ${last.piece.ended}`;
  return `page ${page + 1} is missing, which one run would have asked for${why}; run it without shards`;
}
