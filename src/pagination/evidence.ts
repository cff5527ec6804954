import type { Evidence, PageSummary } from "../core/page.ts";
import { printable } from "../core/printable.ts";
import { compare, decimal } from "./decimal.ts";
import type { Warning } from "./paginator.ts";
import { type Progress, reached } from "./progress.ts";
import { came } from "./stop/limit-stop.ts";

/** Most paths of totals that are remembered. */
const bound = 32;

type Totals = Progress["totals"];

/**
 * The totals of a page, by path: non-negative integers or their digits (contract C-6.11). A `count` that only counts the page's
 * own records says nothing, unless it has said more before.
 */
export function totalsOf(summary: PageSummary, before: Totals): Totals {
  const totals: Record<string, string> = {};
  for (const { kind, path, value } of summary.evidence.slice(0, bound)) {
    const scalar = value.type === "number" || value.type === "string";
    if (kind !== "total" || !scalar || !/^[0-9]{1,30}$/.test(value.text)) continue;
    if (lastStep(path) === "count" && before[path] === undefined && value.text === String(summary.records)) continue;
    totals[path] = value.text;
  }
  return totals;
}

/** The greatest total known, and where it stands. */
export function greatest(totals: Totals): { readonly path: string; readonly total: bigint } | undefined {
  let found: { path: string; total: bigint } | undefined;
  for (const [path, text] of Object.entries(totals)) {
    const total = BigInt(text);
    if (found === undefined || total > found.total) found = { path, total };
  }
  return found;
}

/** A total that is not what it was: rows came or went while the job ran (contract C-6.14). */
export function movedTotal(before: Progress, after: Progress): Warning | undefined {
  const pairs = Object.entries(after.totals).map(([path, text]) => [`"${printable(path)}"`, before.totals[path], text]);
  if (before.total !== null) pairs.unshift(["the total of limitStop.field", before.total, after.total ?? undefined]);
  for (const [name, old, text] of pairs) {
    if (old === undefined || text === undefined || sameNumber(old, text)) continue;
    const what = `${name} changed from ${old} to ${text} during the job`;
    return { key: "moved", text: `${what}: records came or went, so some may be missing or doubled` };
  }
  return undefined;
}

function sameNumber(a: string, b: string): boolean {
  const [x, y] = [decimal(a), decimal(b)];
  return x !== undefined && y !== undefined && compare(x, y) === 0;
}

/** What beside the records speaks against the end, as clauses. `heeds`: does a flag or link at this path count? */
export function evidenceOfMore(summary: PageSummary, progress: Progress, heeds: (path: string) => boolean): string[] {
  const top = greatest(progress.totals);
  const found: string[] = [];
  if (top !== undefined && top.total > BigInt(reached(progress))) {
    found.push(`"${printable(top.path)}" is ${top.total} and ${came(progress.skipped, progress.records)}`);
  }
  const told = summary.records > 0 && summary.ended === "document";
  const more = told ? summary.evidence.find((one) => saysMore(one) && heeds(one.path)) : undefined;
  if (more !== undefined)
    found.push(`"${printable(more.path)}" ${more.value.type === "boolean" ? "is true" : "is set"}`);
  return found;
}

/** A flag must be true, a link (or its `href`) a text that is not empty; bare numbers say nothing (contract C-6.11). */
function saysMore({ kind, path, value }: Evidence): boolean {
  if (kind !== "more") return false;
  if (/^has/.test(lastStep(path))) return value.type === "boolean" && value.text === "true";
  return value.type === "string" && !value.empty;
}

function lastStep(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
