import { hostname } from "node:os";
import type { Compiled } from "../compile/compile.ts";
import type { JobPlan } from "../compile/plan.ts";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { maskedValue } from "../core/conceal.ts";
import { SpileError } from "../core/errors.ts";
import type { RunOptions, RunResult } from "../core/run.ts";
import type { Mark } from "../output/sink.ts";
import { run } from "../pipeline/run.ts";
import { identityOf } from "../resume/identity.ts";
import { frozenJournal } from "./frozen-journal.ts";
import { keptSummary, type Manifest, type ManifestUnit, type Piece, readManifest } from "./manifest.ts";
import { newAttempt, openPart, type Part } from "./part.ts";
import type { ReadPlan, ShardPlan, Unit } from "./plan-document.ts";
import { observed, type SeenPage, strided } from "./strides.ts";

export interface ShardOptions {
  readonly index: number;
  /** The folder of the parts. */
  readonly to: string;
}

/** How a shard ended: what it ran, or nothing where an attempt before it was whole. `isOurs`: its part is the one that counts. */
export type ShardOutcome =
  | { readonly kind: "done before" }
  | { readonly kind: "ran"; readonly result: RunResult; readonly isOurs: boolean };

/**
 * Runs a shard's units of a plan and leaves its part and manifest. Rejects with SpileError `configuration` where the
 * configuration is not the plan's. What fails in the run itself is in the result.
 */
export async function runShard(
  loaded: LoadedConfiguration,
  given: RunOptions,
  { plan, digest }: ReadPlan,
  { index, to }: ShardOptions,
): Promise<ShardOutcome> {
  requireSame(loaded, given, plan);
  if ((await readManifest(to, index, digest)) !== undefined) return { kind: "done before" };
  const startedAt = new Date().toISOString();
  const attempt = newAttempt();
  const part = await openPart(to, { index, attempt });
  try {
    const work = new ShardWork(plan, index, part);
    const result = await run(
      loaded,
      { ...given, rate: given.rate ?? (plan.rate === undefined ? undefined : plan.rate / plan.count) },
      {
        openJournal: frozenJournal({ ...plan, sink: part.sink, mark: () => work.mark() }),
        jobs: (compiled, iteration) => work.jobs(compiled, iteration),
      },
    );
    if (result.failure !== undefined) {
      await part.remove();
      return { kind: "ran", result, isOurs: false };
    }
    const manifest: Manifest = {
      version: 1,
      plan: digest,
      index,
      attempt,
      host: hostname(),
      startedAt,
      endedAt: new Date().toISOString(),
      bytes: part.bytes(),
      units: work.units(result),
    };
    const isOurs = await part.publish(maskedUnits(manifest, given));
    if (!isOurs) {
      await part.remove();
      // It may be another plan's.
      await readManifest(to, index, digest);
    }
    return { kind: "ran", result, isOurs };
  } catch (error) {
    await part.remove();
    throw error;
  }
}

function requireSame(loaded: LoadedConfiguration, options: RunOptions, plan: ShardPlan): void {
  if (identityOf(loaded, options).configuration === plan.configuration) return;
  const what = "the configuration, or a setting given to it, is not the one that the plan was made of";
  throw new SpileError("configuration", `${what}; make a new plan, and run all its shards`);
}

/** Digests and ranges hold no secret; what the API has told may. */
function maskedUnits(manifest: Manifest, { secrets }: RunOptions): Manifest {
  const masked = <T>(value: T): T => maskedValue(value, secrets) as unknown as T;
  const units = manifest.units.map((unit) => ({
    ...unit,
    pieces: unit.pieces.map((piece) => {
      const { digest } = piece.summary;
      return { ...piece, summary: { ...masked(piece.summary), digest }, ended: masked(piece.ended) ?? undefined };
    }),
    results: masked(unit.results),
  }));
  return { ...manifest, units };
}

/** What a shard does of a plan, and what it has done so far. */
class ShardWork {
  readonly #plan: ShardPlan;
  readonly #index: number;
  readonly #part: Part;
  readonly #pieces = new Map<number, Piece[]>();
  /** Of each unit in order: how many results its job has. */
  readonly #results: { readonly unit: number; readonly results: number }[] = [];
  /** Pages that have ended since the last mark. */
  #ended: { readonly unit: number; readonly page: SeenPage }[] = [];

  constructor(plan: ShardPlan, index: number, part: Part) {
    this.#plan = plan;
    this.#index = index;
    this.#part = part;
  }

  /** The jobs of an iteration that are this shard's. */
  jobs(compiled: Compiled, iteration: number): Compiled {
    const jobs = this.#plan.units.flatMap((unit, number): JobPlan[] => {
      const plan = unit.iteration === iteration && this.#isOurs(unit) ? compiled.jobs[unit.job] : undefined;
      if (plan === undefined) return [];
      this.#results.push({ unit: number, results: new Set(dataTypesOf(plan)).size });
      this.#pieces.set(number, []);
      const seen = (page: SeenPage): void => void this.#ended.push({ unit: number, page });
      const share = { index: this.#index, count: this.#plan.count };
      const scroll = unit.kind === "strides" ? strided(plan.scroll, share, seen) : observed(plan.scroll, seen);
      return [{ ...plan, scroll }];
    });
    return { ...compiled, jobs };
  }

  /** Behind the lines of a page and of its children. */
  mark(): Mark | undefined {
    const [first, ...others] = this.#ended;
    // A step has been answered.
    if (first === undefined) return undefined;
    if (others.length > 0) throw new Error("a page's lines have no end of their own");
    this.#ended = [];
    const { unit, page } = first;
    return this.#part.mark((range) => {
      const { summary, ended } = page;
      this.#pieces.get(unit)?.push({ page: page.page, ...range, summary: keptSummary(summary), ended });
    });
  }

  /** What the manifest says of the units, once the run has ended well. */
  units({ jobs }: RunResult): ManifestUnit[] {
    if (this.#ended.length > 0) throw new Error("a page's lines have no end");
    let from = 0;
    const units = this.#results.map(({ unit, results }): ManifestUnit => {
      from += results;
      return { unit, pieces: this.#pieces.get(unit) ?? [], results: jobs.slice(from - results, from) };
    });
    if (from !== jobs.length) throw new Error("jobs and results do not agree");
    return units;
  }

  #isOurs(unit: Unit): boolean {
    return unit.kind === "strides" || unit.shard === this.#index;
  }
}

function dataTypesOf({ dataType, children }: JobPlan): readonly string[] {
  return [dataType, ...children.flatMap(({ plan }) => dataTypesOf(plan))];
}
