import type { JobPlan, Lineage, Start, StepsStart } from "../../compile/plan.ts";
import { SpileError } from "../../core/errors.ts";
import type { PageSummary } from "../../core/runs/page.ts";
import { counted } from "../../core/text/counted.ts";
import type { Advance, Position, Scroll } from "../../pagination/scroll.ts";
import { SeenPages } from "../../pagination/seen-pages.ts";
import type { RunWindow } from "../manifest/manifest.ts";

/** A page of a shard that was read to its end. */
export interface ReadPage {
  /** Number of the page in the job, from 0. */
  readonly page: number;
  readonly summary: PageSummary;
  /** The reason why no further page follows; undefined if one does. */
  readonly ended: string | undefined;
  /** True if the page repeats the page before it. */
  readonly repeated: boolean;
}

/** The share of a job that a shard takes: the page or run with the number `index`, and every `count`-th after it. */
export interface Share {
  readonly index: number;
  readonly count: number;
}

/** Returns a job's paging that reports every page to `onPage`, in order. The first page has the number `page`. */
export function observed(scroll: Scroll, onPage: (page: ReadPage) => void, page = 0): Scroll {
  let number = page;
  return {
    ...scroll,
    advance(position, summary, now, earlier) {
      const step = scroll.advance(position, summary, now, earlier);
      if (step.failure === undefined)
        onPage({ page: number, summary, ended: step.verdict?.reason, repeated: step.repeated });
      number += 1;
      return step;
    },
  };
}

/**
 * Number of a share's pages that repeat earlier ones, which proves a loop. Fewer may be a coincidence, since the pages between them
 * belong to other shares.
 */
const maxRepeated = 10_000;

/**
 * Returns the paging for a share of a job's pages. Its positions assume that all earlier pages are full. It ends at the first of
 * its pages that would end the job or that repeats the previous one. This page is still written, since only all shares together
 * show whether it belongs to the job. It fails if the API repeats pages for ever. `pages`: number of the share's pages that an
 * earlier attempt took.
 */
export function strided(scroll: Scroll, { index, count }: Share, onPage: (page: ReadPage) => void, pages = 0): Scroll {
  let page = index + pages * count;
  const seen = new SeenPages(false);
  let repeated = 0;
  const further = (position: Position | undefined, pages: number): Position | undefined => {
    let current = position;
    for (let number = 0; number < pages && current !== undefined; number += 1) current = scroll.ahead(current);
    return current;
  };
  return {
    ...scroll,
    start(parameters, now) {
      const start = further(scroll.start(parameters, now), index);
      if (start === undefined) throw new SpileError("configuration", "the pages of this job cannot be foreseen");
      return start;
    },
    ahead: (position) => further(position, count),
    advance(position, summary, now) {
      const step = scroll.advance(position, summary, now);
      const silent = { ...step, repeated: false, warnings: [], reached: 0, expected: undefined };
      if (step.failure !== undefined) return silent;
      const repetition = seen.compareAndAdd(summary);
      if (repetition !== undefined) repeated += 1;
      // `SeenPages` reports an `earlier` page only when it has come again 10,000 times.
      if (repeated >= maxRepeated || repetition?.of === "earlier") {
        return { ...silent, next: undefined, verdict: undefined, failure: endless(page, summary) };
      }
      const assumed = scroll.ahead(position);
      if (step.next !== undefined && (assumed === undefined || !scroll.same(step.next, assumed))) {
        return { ...silent, next: undefined, verdict: undefined, failure: unequal(page, summary) };
      }
      const next = step.next === undefined ? undefined : further(step.next, count - 1);
      onPage({ page, summary, ended: next === undefined ? (step.verdict?.reason ?? "") : undefined, repeated: false });
      page += count;
      return next === undefined ? { ...silent, ...endOfShare(index, count) } : { ...silent, next };
    },
  };
}

function endOfShare(index: number, count: number): Pick<Advance, "next" | "verdict"> {
  const pages = [0, 1, 2].map((number) => index + 1 + number * count).join(", ");
  const reason = `pages ${pages}, ... up to the first that is not full; spile shard merge judges the end of the job`;
  return { next: undefined, verdict: { kind: "limited", reason } };
}

function unequal(page: number, { records }: PageSummary): SpileError {
  const what = `page ${page + 1} of the job has ${records} records, so the pages after it do not begin where planned`;
  return new SpileError("data", `${what}: this API's pages cannot be divided; run the job without shards`);
}

function endless(page: number, { records }: PageSummary): SpileError {
  const what = `page ${page + 1} of the job holds the same ${counted(records, "record")} as an earlier one`;
  return new SpileError(
    "data",
    `${what}, as did thousands before it: the API repeats pages for ever; run the job without shards`,
  );
}

/** A run of a job that belongs to a shard. */
export interface OwnRun {
  /** Number of the run in the job, from 0. */
  readonly run: number;
  readonly window: RunWindow | undefined;
}

/** A job whose runs are divided among the shards: each shard takes every n-th run. */
export class SharedRuns {
  readonly plan: JobPlan;
  /** The runs that the shard has begun, in order. */
  readonly ownRuns: OwnRun[] = [];

  constructor(plan: JobPlan, share: Share) {
    this.plan = { ...plan, runs: (lineage) => this.#own(plan, lineage, share) };
  }

  *#own(plan: JobPlan, lineage: Lineage, { index, count }: Share): Generator<Start | StepsStart> {
    let run = 0;
    for (const start of plan.runs(lineage)) {
      if (run % count === index) {
        const { window } = start;
        this.ownRuns.push({
          run,
          window: window && { index: window.index, endpoint: window.endpoint, name: window.name },
        });
        // With index 0, this run is not compared with the previous window, which belongs to another shard. The merge compares
        // them.
        yield window === undefined ? start : { ...start, window: { ...window, index: 0 } };
      }
      run += 1;
    }
  }
}
