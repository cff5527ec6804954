import type { JobResult } from "../core/run.ts";
import type { Judgement } from "./judge-strides.ts";

const severity: readonly JobResult["verdict"][] = ["failed", "suspect", "limited", "complete"];

/**
 * How a divided job ended: its own result as judged, its children's brought together. `shards`: the results of each shard, the
 * job's own first.
 */
export function stridedResults(
  { pieces, pages, verdict }: Judgement,
  shards: readonly (readonly JobResult[])[],
): readonly JobResult[] {
  const lines = new Map<string, number>();
  for (const { piece } of pieces) {
    for (const [dataset, , records] of piece.datasets) lines.set(dataset, (lines.get(dataset) ?? 0) + records);
  }
  const [first = []] = shards;
  return first.map(({ job, dataType }, place): JobResult => {
    const each = shards.flatMap((results) => results[place] ?? []);
    const sum = (name: "pages" | "bytes" | "requests" | "retries" | "logins"): number =>
      each.reduce((total, result) => total + result[name], 0);
    const counts = {
      job,
      dataType,
      pages: sum("pages"),
      records: lines.get(dataType) ?? 0,
      bytes: sum("bytes"),
      requests: sum("requests"),
      retries: sum("retries"),
      logins: sum("logins"),
    };
    if (place > 0) return { ...counts, ...worst(each) };
    const { kind, reason, expected } = verdict;
    return { ...counts, pages, verdict: kind, reason, expected };
  });
}

/** Of a child job in all shards: the worst that one of them tells, and why. */
function worst(results: readonly JobResult[]): Pick<JobResult, "verdict" | "reason"> {
  const verdict = severity.find((kind) => results.some((result) => result.verdict === kind)) ?? "complete";
  const told = results.flatMap((result, shard) => (result.verdict === verdict ? [{ shard, result }] : []));
  const asked = told.find(({ result }) => result.requests > 0) ?? told[0];
  if (asked === undefined) return { verdict, reason: "" };
  const { reason } = asked.result;
  return {
    verdict,
    reason: verdict === "complete" || results.length === 1 ? reason : `shard ${asked.shard}: ${reason}`,
  };
}
