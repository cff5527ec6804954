/** Headers with the remaining requests of a rate limit and the time at which it is renewed. */
export interface LimitHeaders {
  readonly remaining: string;
  readonly reset: string;
}

/** Prefixes of the names of headers about rate limits. Another spelling needs only an entry here. */
const prefixes = ["X-RateLimit", "X-Rate-Limit", "RateLimit"];

/** The usual headers of rate limits. */
export const commonLimitHeaders: readonly LimitHeaders[] = prefixes.map((name) => ({
  remaining: `${name}-Remaining`,
  reset: `${name}-Reset`,
}));

/** All usual headers about rate limits, for the report of `init`. */
export const limitHeaderNames: readonly string[] = [
  ...prefixes.flatMap((name) => ["Limit", "Remaining", "Reset"].map((part) => `${name}-${part}`)),
  "RateLimit-Policy",
  "RateLimit",
];
