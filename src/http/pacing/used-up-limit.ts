import type { RateLimit } from "../../generated/configuration.ts";
import { commonLimitHeaders, type LimitHeaders } from "../../knowledge/limits.ts";
import type { RateLimitObject } from "./rates.ts";
import { retryAfter } from "./retry.ts";

/** Returns the headers about limits that `api.http.rateLimit` reads; undefined if none. */
export function limitHeadersOf(limit: RateLimit | undefined): readonly LimitHeaders[] | undefined {
  if (typeof limit !== "object" || Array.isArray(limit)) return commonLimitHeaders;
  const { headers, remaining, reset } = limit as RateLimitObject;
  if (headers === false) return undefined;
  const configuredNames = remaining === undefined || reset === undefined ? [] : [{ remaining, reset }];
  return [...configuredNames, ...commonLimitHeaders];
}

/** A limit that is used up: the header that says so, and the milliseconds until it is renewed, if they can be read. */
export interface UsedUpLimit {
  readonly header: string;
  readonly ms: number | undefined;
}

/**
 * Returns the limit that is used up according to a response; undefined if none is. If there are several, returns the one that
 * lasts longest.
 */
export function usedUpLimit(
  header: (name: string) => string | undefined,
  names: readonly LimitHeaders[],
  now: number,
): UsedUpLimit | undefined {
  const limits = names.flatMap(({ remaining, reset }): UsedUpLimit[] => {
    const rest = header(remaining)?.trim();
    return rest !== undefined && /^-?[0-9]+(\.[0-9]+)?$/.test(rest) && Number(rest) <= 0
      ? [{ header: `${remaining}: ${rest}`, ms: renewal(header(reset), now) }]
      : [];
  });
  const structured = header("RateLimit");
  if (structured !== undefined) limits.push(...policiesUsedUp(structured, now));
  return limits.sort((one, other) => (other.ms ?? 0) - (one.ms ?? 0))[0];
}

/**
 * Reads the header `RateLimit` of the IETF's drafts: a list of policies, each with `r` (remaining requests) and `t`
 * (seconds until the limit is renewed). In older drafts there is one limit, such as `limit=10, remaining=0, reset=2`.
 */
function policiesUsedUp(text: string, now: number): UsedUpLimit[] {
  const single = new Map(text.split(/[,;]/).map((part) => pair(part)));
  if (/^0+$/.test(single.get("remaining") ?? ""))
    return [{ header: "RateLimit: remaining=0", ms: renewal(single.get("reset"), now) }];
  // A quoted name may contain the characters that separate policies and parameters, so names are emptied first.
  const policies = text.replace(/"(?:[^"\\]|\\.?)*"?/g, '""').split(",");
  return policies.flatMap((policy) => {
    const parameters = new Map(policy.split(";").map((part) => pair(part)));
    if (!/^0+$/.test(parameters.get("r") ?? "")) return [];
    return [{ header: "RateLimit: r=0", ms: renewal(parameters.get("t"), now) }];
  });
}

/** A year in ms. No limit takes longer to be renewed, so a greater value means something else. */
const year = 365 * 24 * 60 * 60 * 1000;

/** Returns the ms until a limit is renewed, according to a header; undefined if it has no time that can be read. */
export function renewal(text: string | undefined, now: number): number | undefined {
  const ms = retryAfter(text, now);
  return ms !== undefined && ms < year ? ms : undefined;
}

function pair(parameter: string): [name: string, value: string] {
  const [name = "", value = ""] = parameter.split("=", 2);
  return [name.trim().toLowerCase(), value.trim()];
}
