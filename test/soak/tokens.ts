/** Tokens that a login hands out: all die with age, the first of each three is revoked early. */
export interface Tokens {
  issue(): string;
  accepts(authorization: string): boolean;
  /** Tokens revoked while a client used them. */
  readonly revoked: number;
  /** Uses of a token that had long expired. */
  readonly late: number;
}

/** A busy client may send a token that was alive when it was chosen; so many seconds are forgiven. */
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
