import { limitHeaderNames } from "../../../knowledge/limits.ts";

/** What an answer's headers tell of how often the API may be asked. */
export interface RateLimitFinding {
  readonly text: string;
  /** `api.http.rateLimit`, where a number of requests and a period are told. */
  readonly limit: string | undefined;
}

const periods: Readonly<Record<string, string>> = { "1": "s", "60": "m", "3600": "h" };

export function rateLimitOf(header: (name: string) => string | undefined): RateLimitFinding | undefined {
  const told = limitHeaderNames.flatMap((name) => {
    const value = header(name);
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  if (told.length === 0) return undefined;
  const policy = header("RateLimit-Policy") ?? "";
  const count = /(?:^|;)\s*q=([0-9]+)/.exec(policy)?.[1] ?? /^\s*([0-9]+)\s*;/.exec(policy)?.[1];
  const period = periods[/;\s*w=([0-9]+)/.exec(policy)?.[1] ?? ""];
  const limit = count === undefined || period === undefined || Number(count) === 0 ? undefined : `${count}/${period}`;
  return { text: `a rate limit: ${told.join(", ")}`, limit };
}
