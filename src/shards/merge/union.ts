import type { JobResult } from "../../core/runs/run.ts";
import { counted } from "../../core/text/counted.ts";
import { repeatedWindow } from "../../pipeline/source/job-tally.ts";
import { unwrittenWords } from "../../pipeline/source/tally.ts";
import type { MovedParent, Piece } from "../manifest/manifest.ts";
import {
  inOrder,
  type Range,
  resultsOf,
  type Sifting,
  type UnitParts,
  type UnitReader,
} from "../manifest/unit-reader.ts";
import type { RunsUnit, StridedUnit, UnitIncrement, WholeUnit } from "../plan/plan-document.ts";
import { StridesJudge } from "./judge-strides.ts";
import { MergedIncrement } from "./merged-increment.ts";
import {
  addMoved,
  type Dropped,
  type EarlierResults,
  LineCount,
  mergedResults,
  type Results,
  type Union,
} from "./merged-results.ts";
import { sharedUnion } from "./shared-union.ts";

/**
 * Merges the work of shards on a unit. Yields its lines in the order of a single run, and returns how its jobs ended. Only the last
 * page shows whether pages after the end of a divided job are written, so the first pass leaves them out. Rejects with SpileError
 * `data` if the parts do not fit together.
 */
export function unionOf({ unit, parts }: UnitParts, earlierResults: EarlierResults): AsyncGenerator<Range, Union> {
  if (unit.kind === "shared") return sharedUnion(unit, parts, earlierResults);
  return orderedUnion(
    parts,
    unit.kind === "strides" ? new StridedPages(unit, earlierResults) : pagesOf(unit),
    unit.increment,
  );
}

/** The pages of a unit, in the order of a single run. */
interface Pages {
  /** Returns the number by which the pages of different shards are ordered. */
  numberOf(piece: Piece): number;
  add(shard: number, piece: Piece): PageDecision;
  /** Returns the results of the unit's jobs, after all pages were added. */
  end(shards: Results): Pick<Union, "results"> & Partial<Union>;
}

/** The decision about a page. */
interface PageDecision {
  readonly isWritten: boolean;
  /** True if the page moves the job's increment. */
  readonly movesIncrement: boolean;
  readonly sifting?: Sifting;
  /** Counter for the page's lines, even if they are not written. */
  readonly lines?: LineCount;
}

const writtenPage: PageDecision = { isWritten: true, movesIncrement: true };
const leftOut: PageDecision = { isWritten: false, movesIncrement: false };

async function* orderedUnion(
  parts: readonly UnitReader[],
  pages: Pages,
  plannedIncrement: UnitIncrement | undefined,
): AsyncGenerator<Range, Union> {
  const increment = new MergedIncrement(plannedIncrement);
  const movedParents: MovedParent[] = [];
  const movedAfterEnd: MovedParent[] = [];
  for await (const { part, piece } of inOrder(parts, (piece) => pages.numberOf(piece))) {
    const { isWritten, movesIncrement, sifting, lines } = pages.add(part.shard, piece);
    if (movesIncrement) increment.add(piece);
    if (!isWritten && lines === undefined) continue;
    addMoved(movesIncrement ? movedParents : movedAfterEnd, piece);
    for await (const range of part.ranges(sifting)) {
      lines?.add(range.lines);
      if (isWritten) yield range;
    }
  }
  const ended = pages.end(await resultsOf(parts));
  // Pages after the end are written if the end shows that they belong to the job.
  if (ended.writesAfterEnd === true) addMoved(movedParents, { moved: movedAfterEnd });
  return {
    warnings: [],
    writesAfterEnd: false,
    moved: increment.movedIncrement(ended.results),
    movedParents,
    ...ended,
  };
}

/** Returns the pages of a unit that one shard ran, or whose runs were divided. A shard has all pages of its runs. */
function pagesOf(unit: WholeUnit | RunsUnit): Pages {
  const windows = new RepeatedWindows();
  return {
    numberOf: ({ run = 0 }) => run,
    add(_, piece) {
      windows.add(piece);
      return writtenPage;
    },
    end(shards) {
      if (unit.kind === "whole") return { results: shards.flat() };
      const { first, count } = windows;
      if (!unit.evidence || first === undefined) return { results: mergedResults(shards, {}) };
      const reason = `${counted(count, "window")}, the first, ${first}: ${repeatedWindow}`;
      const ownFields = ({ verdict }: Pick<JobResult, "verdict">): Partial<JobResult> =>
        verdict === "suspect" ? {} : { verdict: "suspect", reason };
      return { results: mergedResults(shards, { ownFields }) };
    },
  };
}

/** Counts windows whose first page has records and equals the first page of the previous window. */
class RepeatedWindows {
  count = 0;
  /** Name of the first such window. */
  first: string | undefined;
  #run: number | undefined;
  /** Digests of the first pages of the previous window, by endpoint. */
  readonly #digests = new Map<number, string | undefined>();

  /** Adds the next page, in the order of a single run. */
  add({ run, window, summary }: Piece): void {
    const isFirst = run !== this.#run;
    this.#run = run;
    if (window === undefined || !isFirst) return;
    const { index, endpoint, name } = window;
    const digest = summary.records > 0 ? summary.digest : undefined;
    if (index > 0 && digest !== undefined && this.#digests.get(endpoint) === digest) {
      this.count += 1;
      this.first ??= name;
    }
    this.#digests.set(endpoint, digest);
  }
}

/** The pages of a job that were divided among the shards. */
class StridedPages implements Pages {
  readonly #unit: StridedUnit;
  readonly #earlierResults: EarlierResults;
  readonly #judge: StridesJudge;
  readonly #lines = { written: new LineCount(), "after the end": new LineCount() };

  constructor(unit: StridedUnit, earlierResults: EarlierResults) {
    this.#unit = unit;
    this.#earlierResults = earlierResults;
    this.#judge = new StridesJudge(unit);
  }

  numberOf({ page }: Piece): number {
    return page;
  }

  add(shard: number, received: Piece): PageDecision {
    const piece = withDropped(received, this.#earlierResults.dropped);
    const place = this.#judge.add(shard, piece);
    if (place === "repeated" || (place === "after the end" && piece.summary.records === 0)) return leftOut;
    const lines = this.#lines[place];
    lines.addPage(piece);
    const movesIncrement = place === "written";
    const sifting = { group: "pages", count: String(piece.page) };
    return {
      isWritten: movesIncrement || this.#earlierResults.union?.writesAfterEnd === true,
      movesIncrement,
      sifting,
      lines,
    };
  }

  end(shards: Results): Pick<Union, "results"> & Partial<Union> {
    const { pages, verdict: judged, writesAfterEnd, warnings } = this.#judge.judgement();
    const { doubt } = this.#unit;
    const { dropped } = this.#earlierResults;
    const isDoubtful = doubt !== undefined && judged.kind !== "suspect";
    const { kind, reason, expected } = isDoubtful ? { ...judged, kind: "suspect" as const, reason: doubt } : judged;
    const { written } = this.#lines;
    if (writesAfterEnd) written.addAll(this.#lines["after the end"]);
    const duplicates = dropped === undefined ? undefined : written.dropped;
    const all = [...(dropped?.values() ?? [])].reduce((sum, count) => sum + count, 0);
    const results = mergedResults(shards, {
      lines: written,
      dropped: dropped && (() => all),
      ownFields: ({ filtered }) => ({
        pages,
        verdict: kind,
        expected,
        ...(duplicates === undefined ? {} : { duplicates }),
        reason: reason + unwrittenWords({ duplicates, filtered }),
      }),
    });
    return { results, warnings, writesAfterEnd };
  }
}

function withDropped(piece: Piece, dropped: Dropped | undefined): Piece {
  const more = dropped?.get(String(piece.page)) ?? 0;
  return more === 0 ? piece : { ...piece, summary: { ...piece.summary, dropped: piece.summary.dropped + more } };
}
