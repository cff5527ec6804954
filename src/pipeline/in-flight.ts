import { Quota } from "./quota.ts";

/** How many pages may be on their way at once. */
export interface InFlight {
  /** May another page be asked for, with so many asked for and not settled? */
  allows(outstanding: number): boolean;
  /** May a run guess a page ahead, with so many under way of it and so many settled? */
  guesses(underWay: number, settled: number): boolean;
}

/** Always as many as this. */
export function fixedInFlight(concurrency: number): InFlight {
  return { allows: (outstanding) => outstanding < concurrency, guesses: () => true };
}

/** The most that are ever in flight where the number is found while running. */
export const mostInFlight = 64;

/** Latency (ms) above twice the least that is not taken for a sign: this machine is busy as well. */
const slack = 5;
/** A wait (ms) up to which a refusal makes a quota. Longer ones are waited for: what comes after them is worth a burst. */
const shortWait = 5000;
/** With fewer answers before it the first refusal may be of a limit that others have used up: it tells nothing of the rate. */
const fewest = 6;

/**
 * As many pages in flight as the API rewards: twice as many after each round until there is a sign, then one more a
 * round, and half as many when requests are refused, a limit is used up or answers take twice their time. Where even
 * that is refused, no more are sent in a time than the API was seen to bear. Pure: all times (ms, of one clock) are given.
 */
export class AdaptiveInFlight implements InFlight {
  #size = 1;
  #doubles = true;
  /** Has the size been in the way since the last round? */
  #full = false;
  /** Latencies of the round under way: of as many answers as are in flight. */
  #round: number[] = [];
  #least = Number.POSITIVE_INFINITY;
  /** What was sent before tells nothing of the present size. */
  #changed = Number.NEGATIVE_INFINITY;
  /** When requests were refused last. */
  #refused = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  #quota: Quota | undefined;
  /** Answers since a moment: the beginning, or the end of the last refusal's wait. */
  #answers = 0;
  #since: number | undefined;

  get size(): number {
    return this.#size;
  }

  get quota(): Quota | undefined {
    return this.#quota;
  }

  /** Milliseconds until the next request may be sent. */
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

  /** No more than were read: a short job asks for little in vain. */
  guesses(underWay: number, settled: number): boolean {
    return underWay <= settled;
  }

  answered(began: number, now: number): void {
    this.#since ??= began;
    if (began < this.#refused) {
      this.#quota?.answeredLate();
    } else {
      this.#answers += 1;
      this.#quota?.answered(began);
    }
    const latency = now - began;
    this.#least = Math.min(this.#least, latency);
    if (began < this.#changed) return;
    this.#round.push(latency);
    if (this.#round.length >= this.#size) this.#endRound(now);
  }

  refused(began: number, now: number, wait: number | undefined): void {
    // One overload refuses many: they are one sign.
    if (began < this.#changed) return;
    this.#refusals += 1;
    // Where a quota is kept already, it is the quota that was too much.
    if (this.#quota === undefined) this.#halve(now);
    else this.#changed = now;
    if ((wait ?? 0) <= shortWait) this.#limit(now - (this.#since ?? began), wait);
    this.#refused = now;
    this.#answers = 0;
    this.#since = now + (wait ?? 0);
  }

  usedUp(began: number, now: number): void {
    if (began >= this.#changed) this.#halve(now);
  }

  #endRound(now: number): void {
    const typical = this.#round.sort((one, other) => one - other)[this.#round.length >> 1] ?? 0;
    this.#round = [];
    if (typical > 2 * this.#least + slack) {
      this.#halve(now);
    } else if (this.#full) {
      this.#doubles &&= typical <= 1.5 * this.#least + slack;
      this.#size = Math.min(mostInFlight, this.#doubles ? this.#size * 2 : this.#size + 1);
    }
    this.#full = false;
  }

  #limit(elapsed: number, wait: number | undefined): void {
    const tells = wait === undefined || this.#refusals > 1 || this.#answers >= fewest;
    if (this.#quota !== undefined) this.#quota.refused(wait);
    else if (tells) this.#quota = new Quota(this.#answers, elapsed, wait);
  }

  #halve(now: number): void {
    this.#size = Math.max(1, this.#size >> 1);
    this.#doubles = false;
    this.#round = [];
    this.#changed = now;
  }
}
