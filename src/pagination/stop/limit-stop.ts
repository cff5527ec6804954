import type { PageSummary } from "../../core/runs/page.ts";
import {
  type ConfiguredSource,
  readSource,
  sourceName,
  sourceOf,
  sourceText,
} from "../../core/runs/response-source.ts";
import { compare, type Decimal, decimal, isZero } from "../../core/values/decimal.ts";
import type { LimitStop } from "../../generated/configuration.ts";
import type { StopRule } from "../paginator.ts";
import { reachedRecords, type ScrollProgress } from "../scroll-progress.ts";

/** Returns the rules that stop at a number of records, counted before filters: a fixed number, or the total in a field. */
export function limitStop({ field, count }: LimitStop): StopRule[] {
  const rules: StopRule[] = [];
  if (count !== undefined) rules.push(countStop(count));
  if (field !== undefined) rules.push(fieldStop(field));
  return rules;
}

function countStop(count: number): StopRule {
  return {
    rank: "limit",
    stop: (_, { records }) =>
      records >= count
        ? { kind: "limited", text: `stopped at ${records} records by limitStop.count (${count})` }
        : undefined,
    wouldStop: ({ records }) => records >= count,
    words: `until ${count} records have come`,
  };
}

function fieldStop(configured: ConfiguredSource): StopRule {
  const source = sourceOf(configured);
  const field = sourceName(source);
  const read = (summary: PageSummary) => {
    const text = summary.ended === "document" ? readSource(source, summary)?.text : undefined;
    return usable(text) === undefined ? undefined : text;
  };
  return {
    sources: [source],
    rank: "word",
    // As in Generic Extractor, records that the first offset skips do not count. They count in `objection`.
    stop(summary, { records }) {
      const total = read(summary);
      if (!reachesTotal(records, total)) return undefined;
      return { kind: "complete", text: `ended at ${records} records: ${field} is ${total}` };
    },
    wouldStop: ({ total, records }) => reachesTotal(records, total ?? undefined),
    total: read,
    objection(_, progress) {
      const { total, topTotal, skipped, records, dropped } = progress;
      if (total === null || topTotal === null) return undefined;
      if (!reachesTotal(reachedRecords(progress), total))
        return `${field} is ${total} and ${recordsText(skipped, records)}`;
      if (!reachesTotal(reachedRecords(progress) - dropped, total)) return droppedClause(field, total, progress);
      if (!exceeds(topTotal, total) || !exceeds(String(reachedRecords(progress)), total)) return undefined;
      return `${field} fell from ${topTotal} to ${total} while ${recordsText(skipped, records)}`;
    },
    notice(summary) {
      if (summary.ended !== "document" || read(summary) !== undefined) return undefined;
      return {
        key: "total",
        text: `limitStop.field ${field} has no total: the job continues until another rule ends it`,
      };
    },
    words: `until the total ${sourceText(source)} is reached`,
  };
}

/** Returns whether two texts are equal numbers; false if one is not a number. */
export function sameNumber(a: string, b: string): boolean {
  const [x, y] = [decimal(a), decimal(b)];
  return x !== undefined && y !== undefined && compare(x, y) === 0;
}

/** Returns whether text `a` is a greater number than text `b`. */
export function exceeds(a: string, b: string): boolean {
  const [x, y] = [decimal(a), decimal(b)];
  return x !== undefined && y !== undefined && compare(x, y) > 0;
}

/** Reads a total that can be compared: a number of at least 0. Negative numbers such as -1 mean that the total is unknown. */
function usable(text: string | undefined): Decimal | undefined {
  const number = text === undefined ? undefined : decimal(text);
  return number === undefined || (number.negative && !isZero(number)) ? undefined : number;
}

/** Returns whether a number of records reaches a total. False if there is no total. */
export function reachesTotal(records: number, total: string | undefined): boolean {
  const [have, expected] = [decimal(String(records)), usable(total)];
  return have !== undefined && expected !== undefined && compare(have, expected) >= 0;
}

/** Returns "250 came", or with an offset "250 came after the first 100". */
export function recordsText(skipped: number, records: number): string {
  return skipped === 0 ? `${records} came` : `${records} came after the first ${skipped}`;
}

/** Returns a clause for a total if `--unique` has dropped some of its records. */
export function droppedClause(name: string, total: string, { records, dropped }: ScrollProgress): string {
  return `${name} is ${total} and only ${records - dropped} of the ${records} that came are distinct (the order of the API is not stable: sort by a unique key)`;
}
