import { Quota } from "./quota.ts";

/** Decides how many pages may be in flight. */
export interface InFlight {
  /** Returns whether another page may be requested. `outstanding`: number of pages that were requested and have not ended. */
  allows(outstanding: number): boolean;
  /** Returns whether a run may guess the next page, given the numbers of its pages in progress and of its ended pages. */
  guesses(underWay: number, settled: number): boolean;
}

/** Always allows the same number of pages. */
export function fixedInFlight(concurrency: number): InFlight {
  return { allows: (outstanding) => outstanding < concurrency, guesses: () => true };
}

/** Maximum number of pages in flight, if the run chooses the number. */
export const maxInFlight = 64;

/**
 * Milliseconds by which a latency may exceed twice the least latency without being a sign of overload: this machine may be the
 * cause.
 */
const slack = 5;
/** Longest wait in ms for which a refusal sets a quota. With a longer wait, bursts up to the next refusal are faster. */
const shortWait = 5000;
/**
 * Minimum number of answers before the first refusal that show a rate. If there are fewer, other clients may have used up the
 * limit.
 */
const minAnswers = 6;

/**
 * Finds the number of pages in flight with which a run is fastest. The number doubles after each round until there is a sign of
 * overload, then grows by one. It is halved if requests are refused, a limit is used up, or answers take more than twice the
 * least time. A refusal with a short wait also sets a quota: the rate that the API has accepted. Pure: all times (ms, of one
 * clock) are arguments.
 */
export class AdaptiveInFlight implements InFlight {
  #size = 1;
  #doubles = true;
  /** True if the size has held requests back in the current round. */
  #full = false;
  /** Latencies of the current round. A round has as many answers as the size. */
  #round: number[] = [];
  #leastLatency = Number.POSITIVE_INFINITY;
  /** Time at which the size or the quota was last reduced. Latencies and refusals of requests sent before it do not count. */
  #lastChange = Number.NEGATIVE_INFINITY;
  /** Time of the last refusal. */
  #lastRefusal = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  #quota: Quota | undefined;
  /** Number of answers to requests that were sent after the last refusal; before the first refusal, of all answers. */
  #answers = 0;
  #since: number | undefined;

  get size(): number {
    return this.#size;
  }

  get quota(): Quota | undefined {
    return this.#quota;
  }

  /** Returns the milliseconds until the next request may be sent. */
  delay(now: number): number {
    return this.#quota?.delay(now) ?? 0;
  }

  sent(now: number): void {
    this.#quota?.sent(now);
  }

  allows(outstanding: number): boolean {
    const fits = outstanding < this.#size;
    if (!fits) this.#full = true;
    return fits;
  }

  /** Allows as many guessed pages as have ended, so that a short job wastes few requests. */
  guesses(underWay: number, settled: number): boolean {
    return underWay <= settled;
  }

  answered(began: number, now: number): void {
    this.#since ??= began;
    if (began < this.#lastRefusal) {
      this.#quota?.answeredLate();
    } else {
      this.#answers += 1;
      this.#quota?.answered(began);
    }
    const latency = now - began;
    this.#leastLatency = Math.min(this.#leastLatency, latency);
    if (began < this.#lastChange) return;
    this.#round.push(latency);
    if (this.#round.length >= this.#size) this.#endRound(now);
  }

  refused(began: number, now: number, wait: number | undefined): void {
    // One overload causes many refusals. Requests that are sent before the wait after the first refusal has ended are not
    // expected to succeed, so their refusals do not count as further ones.
    if (began < this.#lastChange || began < (this.#since ?? began)) return;
    this.#refusals += 1;
    // If there was a quota already, it was too high.
    if (this.#quota === undefined) this.#halve(now);
    else this.#lastChange = now;
    if ((wait ?? 0) <= shortWait) this.#limit(now - (this.#since ?? began), wait);
    this.#lastRefusal = now;
    this.#answers = 0;
    this.#since = now + (wait ?? 0);
  }

  usedUp(began: number, now: number): void {
    if (began >= this.#lastChange) this.#halve(now);
  }

  #endRound(now: number): void {
    const typical = this.#round.sort((one, other) => one - other)[this.#round.length >> 1] ?? 0;
    this.#round = [];
    if (typical > 2 * this.#leastLatency + slack) {
      this.#halve(now);
    } else if (this.#full) {
      this.#doubles &&= typical <= 1.5 * this.#leastLatency + slack;
      this.#size = Math.min(maxInFlight, this.#doubles ? this.#size * 2 : this.#size + 1);
    }
    this.#full = false;
  }

  #limit(elapsed: number, wait: number | undefined): void {
    const showsRate = wait === undefined || this.#refusals > 1 || this.#answers >= minAnswers;
    if (this.#quota !== undefined) this.#quota.refused(wait);
    else if (showsRate) this.#quota = new Quota(this.#answers, elapsed, wait);
  }

  #halve(now: number): void {
    this.#size = Math.max(1, this.#size >> 1);
    this.#doubles = false;
    this.#round = [];
    this.#lastChange = now;
  }
}
