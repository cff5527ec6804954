import { counted } from "../core/counted.ts";
import type { JobResult } from "../core/run.ts";
import { repeatedWindow } from "../pipeline/source/job-tally.ts";
import { droppedWords } from "../pipeline/source/tally.ts";
import type { Judgement } from "./judge-strides.ts";
import type { Piece, UnitPart } from "./manifest.ts";

/** Records that sifting has dropped, of each page of a divided job, or of each dataset; with `--unique` alone. */
export type Dropped = ReadonlyMap<string, number>;

type Counts = Omit<JobResult, "verdict" | "reason" | "expected" | "byCommand" | "duplicates">;

/**
 * How a divided job ended: its own result as judged, its children's brought together. `shards`: the results of each shard, the
 * job's own first.
 */
export function stridedResults(
  { pieces, pages, verdict }: Judgement,
  shards: readonly (readonly JobResult[])[],
  dropped: Dropped | undefined,
): readonly JobResult[] {
  const lines = linesOf(pieces.map(({ piece }) => piece));
  const duplicates = pieces.reduce((sum, { piece }) => sum + piece.summary.dropped, 0);
  const droppedHere = [...(dropped?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  const [first = []] = shards;
  return first.map(({ dataType }, place): JobResult => {
    const each = shards.flatMap((results) => results[place] ?? []);
    const counts = { ...countsOf(each), records: lines.get(dataType) ?? 0 };
    if (place > 0) return { ...counts, ...worst(each) };
    const { kind, reason, expected } = verdict;
    const own = { ...counts, pages, verdict: kind, expected };
    if (dropped === undefined) return { ...own, reason };
    return { ...own, records: own.records - droppedHere, duplicates, reason: reason + droppedWords(duplicates) };
  });
}

/** How a job ended whose runs were divided. `repeated`: the names of windows that begin as the one before them did. */
export function runsResults(
  shards: readonly (readonly JobResult[])[],
  repeated: readonly string[],
): readonly JobResult[] {
  const [first = []] = shards;
  return first.map((_, place): JobResult => {
    const each = shards.flatMap((results) => results[place] ?? []);
    const told = worst(each);
    const [name] = place === 0 && told.verdict !== "suspect" ? repeated : [];
    if (name === undefined) return { ...countsOf(each), ...told };
    const reason = `${counted(repeated.length, "window")}, the first, ${name}: ${repeatedWindow}`;
    return { ...countsOf(each), verdict: "suspect", reason };
  });
}

/**
 * How a job ended that all shards read: its own result is that of `owner`, unless another shard tells worse or the parents
 * differ; its children's are brought together.
 */
export function sharedResults(
  owner: number,
  parts: readonly UnitPart[],
  { differing, dropped }: { readonly differing: number; readonly dropped: Dropped | undefined },
): readonly JobResult[] {
  const shards = [...parts].sort((a, b) => Number(b.shard === owner) - Number(a.shard === owner));
  const [first] = shards;
  const lines = linesOf(parts.flatMap(({ part }) => part.pieces));
  return (first?.part.results ?? []).map((own, place): JobResult => {
    const each = shards.flatMap(({ part }) => part.results[place] ?? []);
    const here = dropped?.get(own.dataType) ?? 0;
    const counts = { ...countsOf(each), records: (lines.get(own.dataType) ?? 0) - here };
    if (place > 0) {
      const duplicates = each.reduce((total, result) => total + (result.duplicates ?? 0), here);
      const { verdict, reason } = worst(each.map(withoutDropped));
      const all = { ...counts, verdict };
      return dropped === undefined
        ? { ...all, reason }
        : { ...all, duplicates, reason: reason + droppedWords(duplicates) };
    }
    // Every shard has read the listing; what it counts beside are children of the same dataset.
    const read = shards.slice(1).reduce((total, { part }) => total + part.pieces.length, 0);
    const { expected, duplicates } = own;
    const told = worst(each);
    const ended = told.verdict === own.verdict ? { verdict: own.verdict, reason: own.reason } : told;
    const listing = { ...counts, pages: counts.pages - read, expected, duplicates, ...ended };
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
  name: "pages" | "records" | "bytes" | "requests" | "retries" | "logins" | "windows",
): number {
  return results.reduce((total, result) => total + (result[name] ?? 0), 0);
}

/** Lines by their dataset. */
function linesOf(pieces: readonly Piece[]): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const { datasets, parents = [] } of pieces) {
    for (const runs of [datasets, ...parents.map((parent) => parent.datasets)]) {
      for (const [dataset, , records] of runs) lines.set(dataset, (lines.get(dataset) ?? 0) + records);
    }
  }
  return lines;
}

/** Of a dataset in all shards. */
function countsOf(each: readonly JobResult[]): Counts {
  const [{ job, dataType } = { job: "", dataType: "" }] = each;
  return {
    job,
    dataType,
    pages: sum(each, "pages"),
    records: sum(each, "records"),
    bytes: sum(each, "bytes"),
    requests: sum(each, "requests"),
    retries: sum(each, "retries"),
    logins: sum(each, "logins"),
    ...(each.some(({ windows }) => windows !== undefined) ? { windows: sum(each, "windows") } : {}),
  };
}

/** What each shard has dropped is told in one sum. */
function withoutDropped(result: JobResult): JobResult {
  const words = droppedWords(result.duplicates ?? 0);
  return result.reason.endsWith(words)
    ? { ...result, reason: result.reason.slice(0, result.reason.length - words.length) }
    : result;
}

const severity: readonly JobResult["verdict"][] = ["failed", "suspect", "limited", "complete"];

/** Of a child job in all shards: the worst that one of them tells, and why. */
function worst(results: readonly JobResult[]): Pick<JobResult, "verdict" | "reason"> {
  const verdict = severity.find((kind) => results.some((result) => result.verdict === kind)) ?? "complete";
  const told = results.filter((result) => result.verdict === verdict);
  const { reason } = told.find(({ requests }) => requests > 0) ?? told[0] ?? { reason: "" };
  const several = verdict !== "complete" && results.length > 1;
  return { verdict, reason: several ? `in ${told.length} of ${results.length} shards, the first: ${reason}` : reason };
}
