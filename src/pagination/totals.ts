import type { PageSummary } from "../core/runs/page.ts";
import type { Value } from "../core/values/value.ts";
import { type Figure, signalPlaceName } from "../knowledge/signals.ts";
import { configuredSource } from "./remedy.ts";

/** The total number of records or pages, as the pages of a job report it. Plain JSON; numbers are texts of digits. */
export type TotalHistory = {
  /** Place of the number as the configuration writes it; null if it cannot be written. */
  readonly source: Value;
  readonly kind: Figure["kind"];
  /** The first, the greatest and the latest number. */
  readonly first: string;
  readonly top: string;
  readonly latest: string;
  /** Number of pages that reported it. */
  readonly times: number;
  /** True if each page reported the number of its own records. */
  readonly isPageCount: boolean;
  /** True if each page reported the remaining number: the first number minus the records before the page. */
  readonly remaining: boolean;
};

/** Totals by the names under which they are shown to people. */
export type Totals = { readonly [name: string]: TotalHistory };

/** Maximum number of totals that are remembered. */
const maxTotals = 32;

/** Adds the figures of a page to the totals. `before`: numbers of records before the page, and of the API's before the job's first. */
export function withFigures(
  totals: Totals,
  figures: readonly Figure[],
  summary: PageSummary,
  before: { readonly records: number; readonly skipped: number },
): Totals {
  const updated: Record<string, TotalHistory> = { ...totals };
  for (const { origin, member, kind, text } of figures) {
    const name = signalPlaceName(origin);
    const previous = Object.hasOwn(updated, name) ? updated[name] : undefined;
    if (previous === undefined && Object.keys(updated).length >= maxTotals) continue;
    // Many APIs count beside the rows of a page, so the empty page after all records has 0.
    const isAfterAll =
      summary.records === 0 && text === "0" && previous?.latest === String(before.skipped + before.records);
    if (isAfterAll) continue;
    const first = previous?.first ?? text;
    const isPageCount = (previous?.isPageCount ?? true) && text === String(summary.records);
    updated[name] = {
      source: configuredSource(origin, member) ?? null,
      // A `page_count` that was always the number of the page's records counts these records.
      kind: isPageCount || previous === undefined ? kind : previous.kind,
      first,
      top: previous === undefined || BigInt(text) > BigInt(previous.top) ? text : previous.top,
      latest: text,
      times: (previous?.times ?? 0) + 1,
      isPageCount,
      remaining: (previous?.remaining ?? true) && BigInt(text) + BigInt(before.records) === BigInt(first),
    };
  }
  return updated;
}

/** The extent of a job so far, for comparing it with totals. */
export interface JobExtent {
  /** Number of records received or skipped so far. */
  readonly records: number;
  /** Number of pages received or skipped so far. */
  readonly pages: number;
  /** True if a total may count only the remaining records, as after a cursor. */
  readonly mayCountRemaining: boolean;
}

/** A total whose meaning is certain. */
export interface Total {
  readonly name: string;
  readonly total: bigint;
}

/**
 * Returns the greatest total of all records. If one total equals the number of received records, greater ones are ignored, since
 * they may count records before a filter.
 */
export function totalOf(totals: Totals, { records, mayCountRemaining }: JobExtent): Total | undefined {
  const counted = Object.entries(totals).filter(([, signal]) => countsRecords(signal));
  const namedTotals = counted.map(([name, signal]) => ({ name, total: value(signal, mayCountRemaining) }));
  const equal = namedTotals.find(({ total }) => total === BigInt(records));
  return (
    equal ?? namedTotals.reduce<Total | undefined>((top, one) => (top && top.total >= one.total ? top : one), undefined)
  );
}

/** Returns the greatest number of pages. */
export function pagesOf(totals: Totals): Total | undefined {
  const pageTotals = Object.entries(totals).filter(([, { kind }]) => kind === "pages");
  const namedTotals = pageTotals.map(([name, { latest }]) => ({ name, total: BigInt(latest) }));
  return namedTotals.reduce<Total | undefined>((top, one) => (top && top.total >= one.total ? top : one), undefined);
}

/** Returns a total that fell below the number of received records: records were removed during the job, or the API lost the session. */
export function fallenTotal(
  totals: Totals,
  { records, mayCountRemaining }: JobExtent,
): { name: string; signal: TotalHistory } | undefined {
  for (const [name, signal] of Object.entries(totals)) {
    if (!countsRecords(signal) || (mayCountRemaining && signal.remaining)) continue;
    if (BigInt(signal.latest) < BigInt(signal.top) && BigInt(signal.latest) < BigInt(records)) return { name, signal };
  }
  return undefined;
}

/** A total that is less than on the previous page. */
export type FallenTotal = { readonly name: string; readonly from: string; readonly to: string };

/** Returns a total that fell between two pages. If requests count positions, records may then have moved to an earlier page. */
export function fellBetween(before: Totals, after: Totals): FallenTotal | undefined {
  for (const [name, { kind, isPageCount, latest }] of Object.entries(after)) {
    const earlierSignal = before[name];
    if (earlierSignal === undefined || !isTotal(kind) || isPageCount || BigInt(latest) >= BigInt(earlierSignal.latest))
      continue;
    return { name, from: earlierSignal.latest, to: latest };
  }
  return undefined;
}

/** Returns a total that changed. */
export function changedTotal(
  before: Totals,
  after: Totals,
  mayCountRemaining: boolean,
): { name: string; from: string; to: string } | undefined {
  for (const [name, signal] of Object.entries(after)) {
    const earlierSignal = before[name];
    if (
      earlierSignal === undefined ||
      !isTotal(signal.kind) ||
      signal.isPageCount ||
      (mayCountRemaining && signal.remaining)
    )
      continue;
    if (earlierSignal.latest !== signal.latest) return { name, from: earlierSignal.latest, to: signal.latest };
  }
  return undefined;
}

/** Returns the greatest estimate of the number of all records. It proves something only beside a full page. */
export function estimateOf(totals: Totals): Total | undefined {
  const estimates = Object.entries(totals).filter(([, { kind }]) => kind === "estimate");
  const namedTotals = estimates.map(([name, { latest }]) => ({ name, total: BigInt(latest) }));
  return namedTotals.reduce<Total | undefined>((top, one) => (top && top.total >= one.total ? top : one), undefined);
}

function isTotal(kind: Figure["kind"]): boolean {
  return kind === "total" || kind === "count";
}

function countsRecords(signal: TotalHistory): boolean {
  return isTotal(signal.kind) && !countsPages(signal);
}

/** Returns whether a figure counted only the records of each page. For a figure called "count", one page is enough to judge. */
function countsPages({ kind, isPageCount, times }: TotalHistory): boolean {
  return isPageCount && (times > 1 || kind === "count");
}

function value({ first, latest, remaining }: TotalHistory, mayCountRemaining: boolean): bigint {
  return BigInt(mayCountRemaining && remaining ? first : latest);
}
