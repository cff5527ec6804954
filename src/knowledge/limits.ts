/** Headers that tell what remains of a rate limit and when it is renewed. */
export interface LimitHeaders {
  readonly remaining: string;
  readonly reset: string;
}

/** Beginnings of the names of headers of rate limits: another spelling is one more word here. */
const prefixes = ["X-RateLimit", "X-Rate-Limit", "RateLimit"];

/** Usual headers of rate limits. */
export const commonLimitHeaders: readonly LimitHeaders[] = prefixes.map((name) => ({
  remaining: `${name}-Remaining`,
  reset: `${name}-Reset`,
}));

/** All usual headers that tell of a rate limit, to be shown to people. */
export const limitHeaderNames: readonly string[] = [
  ...prefixes.flatMap((name) => ["Limit", "Remaining", "Reset"].map((part) => `${name}-${part}`)),
  "RateLimit-Policy",
  "RateLimit",
];
