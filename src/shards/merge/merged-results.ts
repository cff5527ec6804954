import type { JobResult } from "../../core/runs/run.ts";
import { unwrittenWords } from "../../pipeline/source/tally.ts";
import type { LineGroup, MovedParent, Piece } from "../manifest/manifest.ts";
import type { MovedIncrement } from "./merged-increment.ts";

/** Numbers of records that sifting dropped, by page of a divided job, or by dataset. Only with `--unique`. */
export type Dropped = ReadonlyMap<string, number>;

/** The merged result of a unit. */
export interface Union {
  readonly results: readonly JobResult[];
  /** Warnings that a single run would have given. */
  readonly warnings: readonly string[];
  /** True if the output contains pages after the one at which the divided job has ended. */
  readonly writesAfterEnd: boolean;
  /** The job's increment, if it has moved. */
  readonly moved: MovedIncrement | undefined;
  /** Increments of child jobs that have moved for a parent. They are in the order of a single run if pages or runs are divided. */
  readonly movedParents: readonly MovedParent[];
}

/**
 * Adds the increments that have moved for parents of a page. It adds them one by one, since there may be too many for the
 * arguments of one call.
 */
export function addMoved(all: MovedParent[], { moved = [] }: Pick<Piece, "moved">): void {
  for (const one of moved) all.push(one);
}

/** The results of earlier passes over a unit. */
export interface EarlierResults {
  readonly union?: Union | undefined;
  /** Numbers of records that sifting the unit's lines has dropped. */
  readonly dropped?: Dropped | undefined;
}

/** Counts lines by their dataset, and the records that the shards themselves have dropped. */
export class LineCount {
  readonly #lines = new Map<string, number>();
  dropped = 0;

  add([dataset, , records]: LineGroup): void {
    this.#lines.set(dataset, this.of(dataset) + records);
  }

  addPage({ summary }: Piece): void {
    this.dropped += summary.dropped;
  }

  addAll(other: LineCount): void {
    for (const [dataset, records] of other.#lines) this.add([dataset, 0, records]);
    this.dropped += other.dropped;
  }

  of(dataset: string): number {
    return this.#lines.get(dataset) ?? 0;
  }
}

/** The results from each shard: first that of the job itself, then those of the jobs below it. */
export type Results = readonly (readonly JobResult[])[];

/** The figures that the merge itself has counted or judged. All others are sums over the shards, and the worst verdict counts. */
export interface MergedFigures {
  /** Lines that are written; absent to use the counts of the shards. */
  readonly lines?: LineCount | undefined;
  /** Returns the number of a dataset's lines that sifting drops. Only with `--unique`. */
  readonly dropped?: ((dataset: string) => number) | undefined;
  /** Returns the fields of the job's own result that replace the sums over the shards. */
  ownFields?(summed: JobResult, each: readonly JobResult[]): Partial<JobResult>;
}

/** Returns the results of a unit whose work was divided among shards. */
export function mergedResults(shards: Results, { lines, dropped, ownFields }: MergedFigures): readonly JobResult[] {
  const [first = []] = shards;
  return first.map(({ job, dataType, parent }, index): JobResult => {
    const each = shards.flatMap((results) => results[index] ?? []);
    const counts = summedCounts(each);
    const droppedHere = dropped?.(dataType) ?? 0;
    const duplicates = (counts.duplicates ?? 0) + droppedHere;
    const { verdict, reason } = worst(each.map(withoutWords));
    const summed: JobResult = {
      job,
      dataType,
      ...(parent === undefined ? {} : { parent }),
      ...counts,
      records: lines === undefined ? counts.records : lines.of(dataType) - droppedHere,
      ...(dropped === undefined ? {} : { duplicates }),
      verdict,
      reason: reason + unwrittenWords({ duplicates, filtered: counts.filtered }),
    };
    return index === 0 && ownFields !== undefined ? { ...summed, ...ownFields(summed, each) } : summed;
  });
}

const alwaysSummed = ["pages", "records", "bytes", "requests", "retries", "logins"] as const;
/** Names of counts that only some jobs have. */
const sometimesSummed = ["duplicates", "filtered", "failedParents", "windows"] as const;

type Counts = Pick<JobResult, (typeof alwaysSummed)[number] | (typeof sometimesSummed)[number]>;

function summedCounts(each: readonly JobResult[]): Counts {
  const total = (name: keyof Counts): number => each.reduce((sum, result) => sum + (result[name] ?? 0), 0);
  const names = [
    ...alwaysSummed,
    ...sometimesSummed.filter((name) => each.some((result) => result[name] !== undefined)),
  ];
  return Object.fromEntries(names.map((name) => [name, total(name)])) as Partial<Counts> as Counts;
}

/** Removes the words about dropped records from a shard's reason: the merged result reports their sum. */
function withoutWords(result: JobResult): JobResult {
  const words = unwrittenWords(result);
  return result.reason.endsWith(words)
    ? { ...result, reason: result.reason.slice(0, result.reason.length - words.length) }
    : result;
}

const severity: readonly JobResult["verdict"][] = ["failed", "suspect", "limited", "complete"];

/** Returns the worst verdict of a job in all shards, and its reason. */
export function worst(results: readonly JobResult[]): Pick<JobResult, "verdict" | "reason"> {
  const verdict = severity.find((kind) => results.some((result) => result.verdict === kind)) ?? "complete";
  const matching = results.filter((result) => result.verdict === verdict);
  const { reason } = matching.find(({ requests }) => requests > 0) ?? matching[0] ?? { reason: "" };
  const isOfSeveral = verdict !== "complete" && results.length > 1;
  return {
    verdict,
    reason: isOfSeveral ? `in ${matching.length} of ${results.length} shards, the first: ${reason}` : reason,
  };
}
