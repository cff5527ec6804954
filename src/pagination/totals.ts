import type { PageSummary } from "../core/runs/page.ts";
import { type Figure, signalPlaceName } from "../knowledge/signals.ts";

/** A number that an API gives of all its records or pages, over the course of a job. Plain JSON; the numbers are digits. */
export type Told = {
  readonly kind: Figure["kind"];
  /** The first, the greatest and the latest number. */
  readonly first: string;
  readonly top: string;
  readonly latest: string;
  readonly times: number;
  /** On each page it was the number of the page's own records. */
  readonly own: boolean;
  /** On each page it was what remained: the first number less the records before the page. */
  readonly remaining: boolean;
};

/** By name, as shown to people. */
export type Totals = { readonly [name: string]: Told };

/** Most totals that are remembered. */
const bound = 32;

/** Returns the totals with those of a page. `before`: number of records before the page. */
export function withFigures(totals: Totals, figures: readonly Figure[], summary: PageSummary, before: number): Totals {
  const known: Record<string, Told> = { ...totals };
  for (const { origin, kind, text } of figures) {
    const name = signalPlaceName(origin);
    const told = Object.hasOwn(known, name) ? known[name] : undefined;
    if (told === undefined && Object.keys(known).length >= bound) continue;
    const first = told?.first ?? text;
    known[name] = {
      kind,
      first,
      top: told === undefined || BigInt(text) > BigInt(told.top) ? text : told.top,
      latest: text,
      times: (told?.times ?? 0) + 1,
      own: (told?.own ?? true) && text === String(summary.records),
      remaining: (told?.remaining ?? true) && BigInt(text) + BigInt(before) === BigInt(first),
    };
  }
  return known;
}

/** Progress of a job. If the request names positions in the whole result, a total that shrinks means that records went. */
export interface Reach {
  /** Number of the API's records up to the job's last one, to be compared with a total. */
  readonly records: number;
  /** The same for pages. */
  readonly pages: number;
  /** A total may count only what is still to come, as after a cursor. */
  readonly mayRemain: boolean;
}

/** A total whose meaning is certain. */
export interface Total {
  readonly name: string;
  readonly total: bigint;
}

/**
 * Returns the greatest total of all records. If one equals what came, a greater one (of records before a filter) does not count.
 */
export function totalOf(totals: Totals, { records, mayRemain }: Reach): Total | undefined {
  const known = Object.entries(totals).filter(([, told]) => told.kind !== "pages" && !countsPages(told));
  const read = known.map(([name, told]) => ({ name, total: value(told, mayRemain) }));
  const equal = read.find(({ total }) => total === BigInt(records));
  return equal ?? read.reduce<Total | undefined>((top, one) => (top && top.total >= one.total ? top : one), undefined);
}

/** Returns the greatest number of pages. */
export function pagesOf(totals: Totals): Total | undefined {
  const known = Object.entries(totals).filter(([, { kind }]) => kind === "pages");
  const read = known.map(([name, { latest }]) => ({ name, total: BigInt(latest) }));
  return read.reduce<Total | undefined>((top, one) => (top && top.total >= one.total ? top : one), undefined);
}

/** Returns a total that fell below what came: records went during the job, or the API lost the session. */
export function fallenTotal(totals: Totals, { records, mayRemain }: Reach): { name: string; told: Told } | undefined {
  for (const [name, told] of Object.entries(totals)) {
    if (told.kind === "pages" || countsPages(told) || (mayRemain && told.remaining)) continue;
    if (BigInt(told.latest) < BigInt(told.top) && BigInt(told.latest) < BigInt(records)) return { name, told };
  }
  return undefined;
}

/** A total that is less than on the page before. */
export type FallenTotal = { readonly name: string; readonly from: string; readonly to: string };

/** Returns a total that fell between two pages. If positions are counted, the pages behind have shifted. */
export function fellBetween(before: Totals, after: Totals): FallenTotal | undefined {
  for (const [name, { kind, own, latest }] of Object.entries(after)) {
    const earlier = before[name];
    if (earlier === undefined || kind === "pages" || own || BigInt(latest) >= BigInt(earlier.latest)) continue;
    return { name, from: earlier.latest, to: latest };
  }
  return undefined;
}

/** Returns a total that changed. */
export function changedTotal(
  before: Totals,
  after: Totals,
  mayRemain: boolean,
): { name: string; from: string; to: string } | undefined {
  for (const [name, told] of Object.entries(after)) {
    const earlier = before[name];
    if (earlier === undefined || told.kind === "pages" || told.own || (mayRemain && told.remaining)) continue;
    if (earlier.latest !== told.latest) return { name, from: earlier.latest, to: told.latest };
  }
  return undefined;
}

/** Whether it has only ever been the number of its page's own records, which is no total; nor is a bare `count` of one page. */
function countsPages({ kind, own, times }: Told): boolean {
  return own && (times > 1 || kind === "count");
}

function value({ first, latest, remaining }: Told, mayRemain: boolean): bigint {
  return BigInt(mayRemain && remaining ? first : latest);
}
