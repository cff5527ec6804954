import type { JobResult } from "../../core/runs/run.ts";
import { counted } from "../../core/text/counted.ts";
import { repeatedWindow } from "../../pipeline/source/job-tally.ts";
import { unwrittenWords } from "../../pipeline/source/tally.ts";
import type { LineRun, MovedParent, Piece } from "../manifest/manifest.ts";
import type { Judgement } from "./judge-strides.ts";
import type { MovedIncrement } from "./merged-increment.ts";

/** Records that sifting has dropped, of each page of a divided job, or of each dataset; with `--unique` alone. */
export type Dropped = ReadonlyMap<string, number>;

/** A unit brought together. */
export interface Union {
  readonly results: readonly JobResult[];
  /** Warnings that one run would have given. */
  readonly warnings: readonly string[];
  /** For a divided job: whether pages behind its end are written. */
  readonly behind: boolean;
  /** The job's increment, if it has moved. */
  readonly moved: MovedIncrement | undefined;
  /** Increments of child jobs that have moved for a parent. */
  readonly movedParents?: readonly MovedParent[] | undefined;
}

/** Results of earlier passes over a unit. */
export interface Known {
  readonly union?: Union | undefined;
  /** Numbers of records that sifting its lines has dropped. */
  readonly dropped?: Dropped | undefined;
}

/** Lines by their dataset, and records that the shards themselves have dropped. */
export class LineCount {
  readonly #lines = new Map<string, number>();
  dropped = 0;

  add([dataset, , records]: LineRun): void {
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

/** Windows that begin as the one before them did, and not with nothing. */
export class RepeatedWindows {
  count = 0;
  /** The name of the first. */
  first: string | undefined;
  #run: number | undefined;
  /** Digests of the first pages of the window before, by endpoint. */
  readonly #digests = new Map<number, string | undefined>();

  /** The next page, in the order of one run. */
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

type Counts = Omit<JobResult, "verdict" | "reason" | "expected" | "byCommand" | "duplicates">;

/**
 * Returns the results of a divided job: its own as judged, and those of its children merged. `shards`: the results of each shard, the
 * job's own first.
 */
export function stridedResults(
  { pages, verdict }: Judgement,
  shards: readonly (readonly JobResult[])[],
  { lines, dropped }: { readonly lines: LineCount; readonly dropped: Dropped | undefined },
): readonly JobResult[] {
  const droppedHere = [...(dropped?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  const [first = []] = shards;
  return first.map(({ dataType }, place): JobResult => {
    const each = shards.flatMap((results) => results[place] ?? []);
    const counts = { ...countsOf(each), records: lines.of(dataType) };
    if (place > 0) return { ...counts, ...worstOf(each) };
    const { kind, reason, expected } = verdict;
    const ownResult = { ...counts, pages, verdict: kind, expected };
    if (dropped === undefined) return { ...ownResult, reason: reason + unwrittenWords(counts) };
    return {
      ...ownResult,
      records: ownResult.records - droppedHere,
      duplicates: lines.dropped,
      reason: reason + unwrittenWords({ duplicates: lines.dropped, filtered: counts.filtered }),
    };
  });
}

/** Returns the results of a job whose runs were divided. */
export function runsResults(
  shards: readonly (readonly JobResult[])[],
  repeated: RepeatedWindows,
): readonly JobResult[] {
  const [first = []] = shards;
  return first.map((_, place): JobResult => {
    const each = shards.flatMap((results) => results[place] ?? []);
    const worstResult = worstOf(each);
    const name = place === 0 && worstResult.verdict !== "suspect" ? repeated.first : undefined;
    if (name === undefined) return { ...countsOf(each), ...worstResult };
    const reason = `${counted(repeated.count, "window")}, the first, ${name}: ${repeatedWindow}`;
    return { ...countsOf(each), verdict: "suspect", reason };
  });
}

/** Figures of a job that all shards read, over all parts. */
export interface SharedCounts {
  readonly lines: LineCount;
  /** Pages that shards have read which do not write them. */
  readonly read: number;
  /** Parents that were not the same for all shards. */
  readonly differing: number;
  readonly dropped: Dropped | undefined;
}

/**
 * Returns the results of a job that all shards read. Its own is that of the first shard, which writes it, unless another shard
 * has a worse one or the parents differ. Those of its children are merged.
 */
export function sharedResults(
  shards: readonly (readonly JobResult[])[],
  { lines, read, differing, dropped }: SharedCounts,
): readonly JobResult[] {
  const [first = []] = shards;
  return first.map((firstResult, place): JobResult => {
    const each = shards.flatMap((results) => results[place] ?? []);
    const here = dropped?.get(firstResult.dataType) ?? 0;
    const counts = { ...countsOf(each), records: lines.of(firstResult.dataType) - here };
    if (place > 0) {
      const duplicates = each.reduce((total, result) => total + (result.duplicates ?? 0), here);
      const { verdict, reason } = worst(each.map(withoutWords));
      const { filtered } = counts;
      const all = { ...counts, verdict };
      return dropped === undefined
        ? { ...all, reason: reason + unwrittenWords({ filtered }) }
        : { ...all, duplicates, reason: reason + unwrittenWords({ duplicates, filtered }) };
    }
    // Every shard has read the listing; what it counts beside are children of the same dataset.
    const { expected, duplicates, filtered } = firstResult;
    const worstResult = worst(each);
    const ended =
      worstResult.verdict === firstResult.verdict
        ? { verdict: firstResult.verdict, reason: firstResult.reason }
        : worstResult;
    const listing = { ...counts, pages: counts.pages - read, expected, duplicates, filtered, ...ended };
    if (differing === 0) return listing;
    const doubt = `${differing} parent records were not the same for all shards`;
    return {
      ...listing,
      verdict: "suspect",
      reason: `${ended.reason}, but ${doubt}: the data changed while the shards ran; run them again`,
    };
  });
}

function sum(
  results: readonly JobResult[],
  name: "pages" | "records" | "duplicates" | "filtered" | "bytes" | "requests" | "retries" | "logins" | "windows",
): number {
  return results.reduce((total, result) => total + (result[name] ?? 0), 0);
}

/** Returns the counts of a dataset in all shards. */
function countsOf(each: readonly JobResult[]): Counts {
  const [{ job, dataType, parent } = { job: "", dataType: "", parent: undefined }] = each;
  return {
    job,
    dataType,
    ...(parent === undefined ? {} : { parent }),
    pages: sum(each, "pages"),
    records: sum(each, "records"),
    ...(each.some(({ filtered }) => filtered !== undefined) ? { filtered: sum(each, "filtered") } : {}),
    bytes: sum(each, "bytes"),
    requests: sum(each, "requests"),
    retries: sum(each, "retries"),
    logins: sum(each, "logins"),
    ...(each.some(({ windows }) => windows !== undefined) ? { windows: sum(each, "windows") } : {}),
  };
}

/** The result of a dataset in all shards, with one sum of the records that are not written. */
function worstOf(each: readonly JobResult[]): Pick<JobResult, "verdict" | "reason"> {
  const { verdict, reason } = worst(each.map(withoutWords));
  const { filtered } = countsOf(each);
  const duplicates = sum(each, "duplicates");
  return { verdict, reason: reason + unwrittenWords({ duplicates, filtered }) };
}

/** The records that the shards have dropped or left out are reported in one sum. */
function withoutWords(result: JobResult): JobResult {
  const words = unwrittenWords(result);
  return result.reason.endsWith(words)
    ? { ...result, reason: result.reason.slice(0, result.reason.length - words.length) }
    : result;
}

const severity: readonly JobResult["verdict"][] = ["failed", "suspect", "limited", "complete"];

/** Returns the worst verdict of a child job in all shards, and its reason. */
function worst(results: readonly JobResult[]): Pick<JobResult, "verdict" | "reason"> {
  const verdict = severity.find((kind) => results.some((result) => result.verdict === kind)) ?? "complete";
  const matching = results.filter((result) => result.verdict === verdict);
  const { reason } = matching.find(({ requests }) => requests > 0) ?? matching[0] ?? { reason: "" };
  const several = verdict !== "complete" && results.length > 1;
  return {
    verdict,
    reason: several ? `in ${matching.length} of ${results.length} shards, the first: ${reason}` : reason,
  };
}
