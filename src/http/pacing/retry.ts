import { setTimeout as later } from "node:timers";
import type { Cancellation } from "../../core/cancellation.ts";
import { maxDelay } from "../../core/timer.ts";
import { greatestUnixSeconds } from "../../core/values/instant.ts";

/** Statuses that are retried unless `retryConfig.http.codes` says otherwise. */
export const retryCodes: readonly number[] = [500, 502, 503, 504, 408, 420, 429];

/** Returns the wait before the n-th retry (from 1) in ms: 1, 2, 4, ... 512 s, without jitter. */
export function backoff(retry: number): number {
  return 1000 * 2 ** Math.min(retry - 1, 9);
}

/** Adds up to 10 % to a wait. `random` is from [0, 1). */
export function jittered(ms: number, random: number = Math.random()): number {
  return Math.round(ms * (1 + random / 10));
}

/**
 * Returns the wait in ms that a Retry-After header asks for: seconds (fractions too), a Unix time (above 10^9; above 10^11 in
 * milliseconds, 10^14 in micro-, 10^17 in nanoseconds), an HTTP date or ISO 8601. Undefined for zero, negative, past and
 * unreadable values: the back-off then decides.
 */
export function retryAfter(text: string | undefined, now: number): number | undefined {
  const value = text?.trim() ?? "";
  const wait = /^[0-9]+(\.[0-9]+)?$/.test(value) ? waitOf(Number(value), now) : dateOf(value) - now;
  return wait > 0 ? Math.ceil(wait) : undefined;
}

/** Nanoseconds, microseconds and milliseconds. A time above `least` is in the unit of which `perMs` make a millisecond. */
const fractions = [
  [1e17, 1e6],
  [1e14, 1e3],
  [greatestUnixSeconds, 1],
] as const;

function waitOf(number: number, now: number): number {
  for (const [least, perMs] of fractions) if (number > least) return number / perMs - now;
  return number > 1e9 ? number * 1000 - now : number * 1000;
}

/**
 * Reads a date in one of the three forms of RFC 9110 or in ISO 8601 (UTC unless it names a zone). Returns NaN for other texts, of which
 * `Date.parse` reads some: "-3" as a year.
 */
function dateOf(text: string): number {
  const iso = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text);
  if (iso !== null) return isoDate(text, iso[4]);
  const forms =
    /^[A-Z][a-z]{2,8},? (\d{1,2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})$/;
  if (!forms.test(text)) return Number.NaN;
  return Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
}

function isoDate(text: string, zone: string | undefined): number {
  const local = text
    .slice(0, text.length - (zone ?? "").length)
    .replace(" ", "T")
    .replace(",", ".");
  const offset = (zone ?? "Z").toUpperCase().replace(/^([+-]\d\d):?(\d\d)$/, "$1:$2");
  return Date.parse((local.length === 10 ? `${local}T00:00` : local) + offset);
}

export function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

/** Waits. Rejects with the signal's reason as soon as it is aborted. */
export async function wait(ms: number, signal: Cancellation): Promise<void> {
  const until = performance.now() + ms;
  for (let remaining = ms; remaining > 0; remaining = until - performance.now()) {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = later(
        () => {
          signal.removeEventListener("abort", abort);
          resolve();
        },
        Math.min(remaining, maxDelay),
      );
      signal.addEventListener("abort", abort);
    });
  }
}
