/** Tokens of a login: all expire with age, and the first of every three is revoked early. */
export interface Tokens {
  issue(): string;
  accepts(authorization: string): boolean;
  /** Number of tokens that were revoked while a client used them. */
  readonly revoked: number;
  /** Number of uses of tokens that had expired more than `grace` seconds before. */
  readonly late: number;
}

/** Seconds after expiry in which a token is still accepted: a busy client may send a token that was valid when it was chosen. */
const grace = 5;

export function createTokens(seconds: number, revokedAfter: number): Tokens {
  const live = new Map<string, { readonly until: number; left: number }>();
  let issued = 0;
  const counts = { revoked: 0, late: 0 };
  return {
    issue() {
      const now = performance.now();
      for (const [token, { until }] of live) if (until + 60_000 < now) live.delete(token);
      issued += 1;
      const token = `sap-${issued}`;
      const left = issued % 3 === 1 ? revokedAfter : Number.POSITIVE_INFINITY;
      live.set(token, { until: now + (seconds + grace) * 1000, left });
      return token;
    },
    accepts(authorization) {
      const entry = live.get(authorization.replace(/^Bearer /, ""));
      if (entry === undefined) return false;
      if (entry.until < performance.now()) {
        counts.late += 1;
        return false;
      }
      if (entry.left === 0) counts.revoked += 1;
      entry.left -= 1;
      return entry.left >= 0;
    },
    get revoked() {
      return counts.revoked;
    },
    get late() {
      return counts.late;
    },
  };
}
