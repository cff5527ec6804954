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
/** A wait (ms) up to which refusals are spaced away. Longer ones are waited for: what comes after them is worth a burst. */
const shortWait = 5000;
/** The longest space (ms) between requests where a refusal tells no wait. */
const untoldWait = 250;
/** With fewer answers before it the first refusal may be of a limit that others have used up: it tells nothing of the rate. */
const fewest = 6;
/** Answers without a refusal after which a little more is tried. */
const firstPatience = 30;
/** What the interval is multiplied by where more is tried: until that is refused for the first time, and from then on. */
const probes = { first: 0.8, fine: 0.95 };

/**
 * As many pages in flight as the API rewards: twice as many after each round until there is a sign, then one more a
 * round, and half as many when requests are refused, a limit is used up or answers take twice their time. Where even
 * that is refused, requests are spaced by what the API was seen to bear. Pure: all times (ms, of one clock) are given.
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
  #interval = 0;
  /** What the interval was made of. */
  #first: Borne | undefined;
  /** The interval before one was tried that has not proved itself. */
  #proved: number | undefined;
  #patience = firstPatience;
  #probe = probes.first;
  /** Answers since a moment: the beginning, or the end of the last refusal's wait. */
  #answers = 0;
  #since: number | undefined;

  get size(): number {
    return this.#size;
  }

  /** Milliseconds from one request to the next; 0 where they are not spaced. */
  get interval(): number {
    return this.#interval;
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
    if (began < this.#refused) this.#countLate();
    else this.#countTimely();
    const latency = now - began;
    this.#least = Math.min(this.#least, latency);
    if (began < this.#changed) return;
    this.#round.push(latency);
    if (this.#round.length >= this.#size) this.#endRound(now);
  }

  refused(began: number, now: number, wait: number | undefined): void {
    // One overload refuses many: they are one sign.
    if (began < this.#changed) return;
    const spaced = this.#interval > 0;
    this.#refusals += 1;
    const tells = wait === undefined || this.#refusals > 1 || this.#answers >= fewest;
    if (tells && (wait ?? 0) <= shortWait) this.#space(now - (this.#since ?? began), wait);
    // Where requests are spaced already, it is the space that was too short.
    if (spaced) this.#changed = now;
    else this.#halve(now);
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

  /** Spaced requests that are not refused for a while are tried a little closer. */
  #countTimely(): void {
    this.#answers += 1;
    if (this.#interval === 0 || this.#answers % this.#patience !== 0) return;
    this.#proved = this.#interval;
    this.#interval *= this.#probe;
  }

  /** What was sent before the first refusal and is answered after it: the API bears that too. */
  #countLate(): void {
    if (this.#first === undefined) return;
    this.#first = { ...this.#first, answers: this.#first.answers + 1 };
    this.#interval = Math.min(this.#interval, intervalOf(this.#first));
  }

  #halve(now: number): void {
    this.#size = Math.max(1, this.#size >> 1);
    this.#doubles = false;
    this.#round = [];
    this.#changed = now;
  }

  /** Refused after `elapsed` ms: so many answers in that time and the wait are what the API bears. */
  #space(elapsed: number, wait: number | undefined): void {
    // One request in each such wait is what the API itself calls enough.
    const longest = wait ?? untoldWait;
    if (this.#interval === 0) {
      // Nothing is told of the wait: half of what was too much.
      this.#first = { span: wait === undefined ? 2 * elapsed : elapsed + wait, answers: this.#answers };
      this.#interval = Math.min(longest, intervalOf(this.#first));
      return;
    }
    this.#first = undefined;
    if (this.#proved === undefined) {
      this.#interval = Math.min(longest, this.#interval * 1.25);
    } else {
      this.#interval = Math.min(longest, this.#proved);
      this.#proved = undefined;
      if (this.#probe === probes.fine) this.#patience *= 4;
      this.#probe = probes.fine;
    }
  }
}

/** What the API was seen to bear until it refused, its wait included. */
interface Borne {
  readonly span: number;
  readonly answers: number;
}

function intervalOf({ span, answers }: Borne): number {
  return Math.max(1, span / Math.max(1, answers));
}
