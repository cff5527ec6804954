import type { Compiled } from "../../compile/compile.ts";
import type { Increment } from "../../compile/jobs/increment.ts";
import type { JobPlan } from "../../compile/plan.ts";
import { withSignalTurns } from "../../core/blocking-work.ts";
import { maskedValue } from "../../core/runs/conceal.ts";
import type { JobResult, RunResult } from "../../core/runs/run.ts";
import type { Moved } from "../../core/runs/watermark.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import { type Value, valueText } from "../../core/values/value.ts";
import type { Mark } from "../../output/sink.ts";
import type { JobRun } from "../../pipeline/job-run.ts";
import type { PageWatermark } from "../../pipeline/page-watermark.ts";
import { pageValue } from "../../pipeline/source/increment-progress.ts";
import { isSameJob, type Standing } from "../../resume/progress.ts";
import {
  type KeptSummary,
  keptSummary,
  type LineGroup,
  type ManifestLine,
  type MovedParent,
  type Piece,
  type PieceLine,
} from "../manifest/manifest.ts";
import { type ShardPlan, type Unit, worksOn } from "../plan/plan-document.ts";
import { addLines, type Part, type PieceRange } from "./part.ts";
import type { BegunUnit, ShardState } from "./shard-state.ts";
import { SharedListing } from "./shared-listing.ts";
import { type OwnRun, observed, type ReadPage, SharedRuns, strided } from "./strides.ts";

interface UnitInProgress extends BegunUnit {
  readonly lines: PieceLine[];
  /** Increments of child jobs that have moved for a parent of the current page. */
  moved: MovedParent[];
}

/** A page that has ended, while its children have not. */
interface EndedPage {
  readonly unitInProgress: UnitInProgress;
  readonly page: ReadPage;
  readonly increment: Increment | undefined;
  /** The value of the increment on the page; null if there is none. */
  value: Value;
  /** Present if all shards read the job. */
  readonly listing: SharedListing | undefined;
  /** Runs of the job that the shard has begun, if the job's runs are divided. */
  readonly runs: readonly OwnRun[] | undefined;
  /** Run of the page, if the job's runs are divided. */
  run: OwnRun | undefined;
  /** Lines of the page itself. */
  readonly pageLines: LineGroup[];
  /** The list to which lines are added now: `pageLines`, or the list of a parent while its children run. */
  current: LineGroup[];
}

/** Facts for the manifest that are known only at the mark after a page: its range in the part, and the increments that have moved. */
interface PieceEnd {
  readonly range: PieceRange;
  readonly moved: readonly MovedParent[];
  readonly parents?: (() => readonly PieceLine[]) | undefined;
}

/** A place from which a shard can be resumed. Everything before it is in the part. */
export interface Place extends Pick<ShardState, "bytes" | "standing" | "results"> {
  units(): ShardState["units"];
}

export interface WorkOptions {
  readonly plan: ShardPlan;
  readonly index: number;
  readonly part: Part;
  readonly secrets: Secrets;
  /** The progress before this attempt. */
  readonly from: ShardState | undefined;
  /** Called with each place from which the shard can be resumed. */
  reached(place: Place): Promise<void>;
}

/** A shard's work on a plan, and its progress. */
export class ShardWork {
  readonly #options: WorkOptions;
  readonly #units: UnitInProgress[];
  #ended: EndedPage | undefined;

  constructor(options: WorkOptions) {
    this.#options = options;
    this.#units = (options.from?.units ?? []).map((unit) => ({
      ...unit,
      lines: [...unit.lines],
      moved: [],
    }));
  }

  /** Returns the jobs of an iteration that belong to this shard. Rejects with the signal's reason. */
  async jobs(compiled: Compiled, iteration: number, signal: AbortSignal): Promise<Compiled> {
    const { plan, index } = this.#options;
    const ownUnits: { readonly unit: Unit; readonly number: number; readonly job: JobPlan }[] = [];
    for await (const [number, unit] of withSignalTurns(plan.units.entries(), signal)) {
      const job = unit.iteration === iteration && worksOn(index, unit) ? compiled.jobs.at(unit.job) : undefined;
      if (job !== undefined) ownUnits.push({ unit, number, job });
    }
    return { ...compiled, jobs: ownUnits.map(({ unit, number, job }, place) => this.#job(unit, number, job, place)) };
  }

  #job(unit: Unit, number: number, plan: JobPlan, place: number): JobPlan {
    const { index, plan: shards } = this.#options;
    const existing = this.#units.find((one) => one.unit === number);
    const unitInProgress = existing ?? { unit: number, results: new Set(dataTypesOf(plan)).size, lines: [], moved: [] };
    if (existing === undefined) this.#units.push(unitInProgress);
    const share = { index, count: shards.count };
    const runs = unit.kind === "runs" ? new SharedRuns(plan, share) : undefined;
    const listing = unit.kind === "shared" ? new SharedListing(plan, share, unit.shard === index) : undefined;
    const onPage = (page: ReadPage): void => {
      if (this.#ended !== undefined) throw new Error("a page has ended before the mark of the page before it");
      const pageLines: LineGroup[] = [];
      const { increment } = plan;
      this.#ended = {
        unitInProgress,
        page,
        increment,
        value: null,
        listing,
        runs: runs?.ownRuns,
        run: undefined,
        pageLines,
        current: pageLines,
      };
    };
    const pages = this.#pagesBefore(unit.iteration, place);
    const { scroll } = plan;
    return {
      ...(listing?.plan ?? runs?.plan ?? plan),
      scroll: unit.kind === "strides" ? strided(scroll, share, onPage, pages) : observed(scroll, onPage, pages),
    };
  }

  /** Returns the number of pages that an interrupted job already has. */
  #pagesBefore(iteration: number, job: number): number {
    const checkpoint = this.#options.from?.standing.checkpoint;
    return checkpoint !== undefined && isSameJob(checkpoint, { iteration, job }) ? checkpoint.pages : 0;
  }

  /**
   * Called at the end of a page of the job or of a job below it. If all shards read the job, returns a mark that separates the page's
   * lines from those of the next page.
   */
  endPage({ parents, index }: JobRun, watermark: PageWatermark): Mark | undefined {
    const ended = this.#ended;
    if (ended !== undefined && parents.length === 0) {
      const { increment, page } = ended;
      ended.run = ended.runs?.[index];
      if (increment !== undefined && !page.repeated) ended.value = pageValue(increment, watermark, page.summary);
    }
    if (ended?.listing === undefined) return undefined;
    const current = parents.length === 0 ? ended.pageLines : ended.listing.linesOf(parents);
    if (current === undefined) throw new Error("a child was run for a parent of another shard");
    ended.current = current;
    return this.#options.part.cut((groups) => addAll(current, groups));
  }

  /** Takes an increment of a child job that has moved for one parent. */
  addMoved([key, { value = null }, context = ""]: Moved): void {
    const { units } = this.#options.plan;
    const unitInProgress = this.#units.find(
      ({ unit }) => units[unit]?.partitioned?.some((one) => one.key === key) === true,
    );
    unitInProgress?.moved.push([key, context, valueText(value)]);
  }

  /** Returns the mark to send after the lines of a page and its children; undefined after an answer to a step. */
  mark(standing: Standing, results: readonly JobResult[]): Mark | undefined {
    const { part, reached, secrets } = this.#options;
    const ended = this.#ended;
    if (ended === undefined) return undefined;
    this.#ended = undefined;
    const parents = ended.listing?.take();
    const count = results.length;
    const { unitInProgress } = ended;
    const { moved } = unitInProgress;
    unitInProgress.moved = [];
    const units = (): readonly BegunUnit[] => this.#units.map(({ unit, results, lines }) => ({ unit, results, lines }));
    return part.mark((range) => {
      this.#push(ended, { range, moved, parents });
      const bytes = range.start + range.bytes;
      const { checkpoint } = standing;
      // A stored place must not contain a secret.
      if (secrets.holds(valueText(checkpoint.position))) return;
      const masked = { ...standing, checkpoint: { ...checkpoint, tally: maskedValue(checkpoint.tally, secrets) } };
      return reached({ bytes, standing: masked, results: results.slice(0, count), units });
    });
  }

  #push(
    { unitInProgress, page: seen, value, run, pageLines, current }: EndedPage,
    { range, moved, parents = () => [] }: PieceEnd,
  ): void {
    const { secrets } = this.#options;
    const { page, summary, ended } = seen;
    // Digests contain no secret, but values from the API may.
    const { digest, ...kept } = keptSummary(summary);
    const masked = maskedValue(kept, secrets) as unknown as Omit<KeptSummary, "digest">;
    const reason = ended === undefined ? undefined : secrets.mask(ended);
    const { datasets, ...bounds } = range;
    const text = valueText(value);
    const increment = value === null || secrets.holds(text) ? undefined : text;
    const pageFacts = { summary: { ...masked, digest }, ended: reason, increment };
    const piece: Piece = { page, ...run, ...bounds, ...pageFacts, ...(moved.length === 0 ? {} : { moved }) };
    addAll(current, datasets);
    for (const line of [piece, ...pageLines, ...parents()]) unitInProgress.lines.push(line);
  }

  /** Yields the manifest's lines about the units, once the run has ended well. */
  *manifestLines({ jobs }: RunResult): Generator<ManifestLine> {
    if (this.#ended !== undefined) throw new Error("the last page has no mark");
    let from = 0;
    for (const { unit, results, lines } of this.#units) {
      yield { unit };
      yield* lines;
      yield { results: jobs.slice(from, from + results) };
      from += results;
    }
    if (from !== jobs.length) throw new Error("jobs and results do not agree");
  }
}

function addAll(target: LineGroup[], groups: readonly LineGroup[]): void {
  for (const group of groups) addLines(target, group);
}

function dataTypesOf({ dataType, children }: JobPlan): readonly string[] {
  return [dataType, ...children.flatMap(({ plan }) => dataTypesOf(plan))];
}
