import { scalarText, type Value } from "../../core/values/value.ts";
import type { RateLimit } from "../../generated/configuration.ts";

/** A rate limit: at most `requests` begin in any `period` (ms). `even`: they are spaced evenly. */
export interface Rate {
  readonly requests: number;
  readonly period: number;
  readonly even: boolean;
}

/** Rates of one part of a configuration, which apply in addition to those of the whole. */
export interface PartRates {
  /** Requests with the same key count together. */
  readonly key: string;
  readonly rates: readonly Rate[];
}

/** Returns the rates for each of several processes that share the given rates. */
export function sharedRates(rates: readonly Rate[], processes: number): readonly Rate[] {
  return rates.map(({ requests, period, even }) => {
    const share = Math.floor(requests / processes);
    return share >= 1
      ? { requests: share, period, even }
      : { requests: 1, period: (period * processes) / requests, even };
  });
}

/** Returns the rate of a number of requests a second, which are spaced evenly. */
export function evenRate(perSecond: number): Rate {
  return { requests: 1, period: 1000 / perSecond, even: true };
}

/** The object form of `api.http.rateLimit`. */
export type RateLimitObject = Exclude<RateLimit, number | readonly Value[]>;

/** Returns the rates of `api.http.rateLimit`. */
export function ratesOf(limit: RateLimit | undefined): readonly Rate[] {
  if (limit === undefined) return [];
  if (typeof limit === "number") return [evenRate(limit)];
  if (!isList(limit)) return ratesOf(limit.rate);
  return listedRates(limit);
}

function isList(limit: RateLimit): limit is readonly Value[] {
  return Array.isArray(limit);
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** Reads checked texts such as `5/s`, or numbers per second. All of them apply. Each lets its requests begin at once, without spacing. */
function listedRates(list: readonly Value[]): readonly Rate[] {
  return list.map((item) => {
    const [text = "", unit = "s"] = (scalarText(item) ?? "").split("/");
    const number = Number(text);
    // 2.5 a second becomes two in each 0.8 s.
    const requests = Math.max(1, Math.floor(number));
    return { requests, period: ((units[unit] ?? 1000) * requests) / number, even: false };
  });
}
