import type { PageSummary } from "../core/runs/page.ts";
import type { Value } from "../core/values/value.ts";
import { type Figure, signalPlaceName } from "../knowledge/signals.ts";
import { configuredSource } from "./remedy.ts";

/** A number of records or pages, as the pages of a job report it. Plain JSON; numbers are texts of digits. */
export type TotalHistory = {
  /** Place of the number as the configuration writes it; null for JSON in a header, which the configuration cannot read. */
  readonly source: Value;
  readonly kind: Figure["kind"];
  /** The first, the greatest and the latest number. */
  readonly first: string;
  readonly top: string;
  readonly latest: string;
  /** Number of pages that reported it. */
  readonly times: number;
  /** True if each page reported the number of its own records, not a total. */
  readonly isPageCount: boolean;
  /** True if each page reported the remaining number: the first number minus the records before the page. */
  readonly remaining: boolean;
};

/** Totals by the names under which they are shown to people. */
export type Totals = { readonly [name: string]: TotalHistory };

/** Maximum number of totals that are remembered. */
const maxTotals = 32;

/** Adds the figures of a page to the totals. `before`: the progress before the page. */
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
    // Many APIs count in the same query that selects the rows of a page, so the empty page after all records reports 0.
    const isAfterAll =
      summary.records === 0 && text === "0" && previous?.latest === String(before.skipped + before.records);
    if (isAfterAll) continue;
    const first = previous?.first ?? text;
    const isPageCount = (previous?.isPageCount ?? true) && text === String(summary.records);
    updated[name] = {
      source: configuredSource(origin, member) ?? null,
      // A later page may be the first to show that a `page_count` is a number of records, not of pages. So the latest kind counts
      // while each page reports its own number of records.
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

/** A number of all records or pages, with the name of its place for messages. */
export interface Total {
  readonly name: string;
  readonly total: bigint;
}

/**
 * Returns the greatest total number of records. If one total equals the number of records so far, greater ones are ignored: they
 * may count records before a filter.
 */
export function totalOf(totals: Totals, { records, mayCountRemaining }: JobExtent): Total | undefined {
  const counted = Object.entries(totals).filter(([, signal]) => countsRecords(signal));
  const namedTotals = counted.map(([name, signal]) => ({ name, total: value(signal, mayCountRemaining) }));
  const equal = namedTotals.find(({ total }) => total === BigInt(records));
  return (
    equal ?? namedTotals.reduce<Total | undefined>((top, one) => (top && top.total >= one.total ? top : one), undefined)
  );
}

/** Returns the greatest number of pages that the API reports. */
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

/** Returns a total that is not the same as on the previous page. */
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

/** Returns the greatest estimate of the number of all records. An estimate proves something only if the page is full. */
export function estimateOf(totals: Totals): Total | undefined {
  const estimates = Object.entries(totals).filter(([, { kind }]) => kind === "estimate");
  const namedTotals = estimates.map(([name, { latest }]) => ({ name, total: BigInt(latest) }));
  return namedTotals.reduce<Total | undefined>((top, one) => (top && top.total >= one.total ? top : one), undefined);
}

function isTotal(kind: Figure["kind"]): boolean {
  return kind === "total" || kind === "count";
}

function countsRecords(signal: TotalHistory): boolean {
  return isTotal(signal.kind) && !countsOwnPage(signal);
}

/** Returns whether a number counts only the records of its page. For the kind "count", one page is enough to judge. */
function countsOwnPage({ kind, isPageCount, times }: TotalHistory): boolean {
  return isPageCount && (times > 1 || kind === "count");
}

function value({ first, latest, remaining }: TotalHistory, mayCountRemaining: boolean): bigint {
  return BigInt(mayCountRemaining && remaining ? first : latest);
}
