import type { PageSummary } from "../core/page.ts";
import { type Figure, signalPlaceName } from "../knowledge/signals.ts";

/** A number that an API gives of all its records or pages, as seen over a job. Plain JSON; the numbers are digits. */
export type Told = {
  readonly kind: Figure["kind"];
  /** The first one, the greatest and the latest. */
  readonly first: string;
  readonly top: string;
  readonly latest: string;
  readonly times: number;
  /** Each page's was the number of its own records. */
  readonly own: boolean;
  /** Each page's was what remained: the first one less the records before it. */
  readonly remaining: boolean;
};

/** By name, as told to people. */
export type Totals = { readonly [name: string]: Told };

/** Most of them that are remembered. */
const bound = 32;

/** The totals with a page's in it. `before`: records before the page. */
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

/** Where a method asks for places in the whole result, a total that shrinks is one of records that went. */
export interface Reach {
  /** Records of the API up to the job's last one: what a total is compared with. */
  readonly records: number;
  /** The same for pages. */
  readonly pages: number;
  /** May a total count only what is still to come, as after a cursor? */
  readonly mayRemain: boolean;
}

/** A total of which there is no doubt what it counts. */
export interface Total {
  readonly name: string;
  readonly total: bigint;
}

/** The greatest total of all records. Where one equals what came, a greater one (of records before a filter) is none. */
export function totalOf(totals: Totals, { records, mayRemain }: Reach): Total | undefined {
  const known = Object.entries(totals).filter(([, told]) => told.kind !== "pages" && !countsPages(told));
  const read = known.map(([name, told]) => ({ name, total: value(told, mayRemain) }));
  const equal = read.find(({ total }) => total === BigInt(records));
  return equal ?? read.reduce<Total | undefined>((top, one) => (top && top.total >= one.total ? top : one), undefined);
}

/** The greatest number of pages. */
export function pagesOf(totals: Totals): Total | undefined {
  const known = Object.entries(totals).filter(([, { kind }]) => kind === "pages");
  const read = known.map(([name, { latest }]) => ({ name, total: BigInt(latest) }));
  return read.reduce<Total | undefined>((top, one) => (top && top.total >= one.total ? top : one), undefined);
}

/** A total that fell below what came: records went while the job ran, or the API lost the session. */
export function fallenTotal(totals: Totals, { records, mayRemain }: Reach): { name: string; told: Told } | undefined {
  for (const [name, told] of Object.entries(totals)) {
    if (told.kind === "pages" || countsPages(told) || (mayRemain && told.remaining)) continue;
    if (BigInt(told.latest) < BigInt(told.top) && BigInt(told.latest) < BigInt(records)) return { name, told };
  }
  return undefined;
}

/** A total that is less than on the page before. */
export type FallenTotal = { readonly name: string; readonly from: string; readonly to: string };

/** A total that fell between two pages: where positions are counted, the pages behind have shifted. */
export function fellBetween(before: Totals, after: Totals): FallenTotal | undefined {
  for (const [name, { kind, own, latest }] of Object.entries(after)) {
    const earlier = before[name];
    if (earlier === undefined || kind === "pages" || own || BigInt(latest) >= BigInt(earlier.latest)) continue;
    return { name, from: earlier.latest, to: latest };
  }
  return undefined;
}

/** A total that is not what it was. */
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

/** It has only ever been the number of its page's own records: that is no total; nor is a bare `count` of one page. */
function countsPages({ kind, own, times }: Told): boolean {
  return own && (times > 1 || kind === "count");
}

function value({ first, latest, remaining }: Told, mayRemain: boolean): bigint {
  return BigInt(mayRemain && remaining ? first : latest);
}
