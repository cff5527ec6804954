/** Answers without a refusal after which a shorter span is tried. */
const firstAnswersPerCheck = 120;
/** Factors by which a span is shortened for a trial: until such a span is refused for the first time, and from then on. */
const probes = { first: 0.8, fine: 0.95 };
/** Longest time in ms for one request if a refusal names no wait. */
const untoldWait = 250;
/** A little more than the span that was seen: requests do not arrive as far apart as they are sent. */
const margin = 1.05;

/** The load that an API was seen to bear. */
interface Borne {
  readonly requests: number;
  readonly span: number;
}

/**
 * Allows as many requests in a span of time as an API was seen to bear: all at once, until that is refused or a shorter span is
 * tried; from then on at even distances. Pure: all times (ms, of one clock) are arguments.
 */
export class Quota {
  #borne: Borne;
  #isEven: boolean;
  /** Answers to requests that were sent before the last refusal count. */
  #isCounted = true;
  /** The load that was borne before a shorter span was tried. */
  #proved: Borne | undefined;
  #answersPerCheck = firstAnswersPerCheck;
  #probe = probes.first;
  /** Number of answers since the last refusal. */
  #answers = 0;
  #window = unopened();
  #last = Number.NEGATIVE_INFINITY;

  /** After `answers` in `elapsed` ms the API refused, and named this wait. */
  constructor(answers: number, elapsed: number, wait: number | undefined) {
    // No wait is named: half of what was too much.
    const span = wait === undefined ? 2 * elapsed : margin * Math.max(elapsed, wait);
    // Limits are for a second or a minute, not for the time that was spent below them.
    this.#isEven = wait === undefined || elapsed > wait;
    this.#borne = shortened({ requests: Math.max(1, answers), span }, wait);
  }

  /** Milliseconds from one request to the next, on average. */
  get interval(): number {
    return this.#borne.span / this.#borne.requests;
  }

  /** Returns the milliseconds until the next request may be sent. */
  delay(now: number): number {
    const { requests, span } = this.#borne;
    const { began, sent } = this.#window;
    const next = this.#isEven ? this.#last + this.interval : sent < requests ? now : began + span;
    return Math.max(0, next - now);
  }

  sent(now: number): void {
    if (now >= this.#window.began + this.#borne.span) this.#window = { began: now, sent: 0, answered: 0 };
    this.#window.sent += 1;
    this.#last = now;
  }

  /** Counts an answer. A load that is not refused for a while is tried in a little less time. */
  answered(began: number): void {
    if (began >= this.#window.began) this.#window.answered += 1;
    this.#answers += 1;
    if (this.#answers % this.#answersPerCheck !== 0) return;
    this.#proved = this.#borne;
    this.#borne = { ...this.#borne, span: this.#borne.span * this.#probe };
    this.#isEven = true;
  }

  /** Counts an answer to a request that was sent before the last refusal. */
  answeredLate(): void {
    if (this.#isCounted) this.#borne = { ...this.#borne, requests: this.#borne.requests + 1 };
  }

  refused(wait: number | undefined): void {
    this.#borne = shortened(this.#less(this.#window.answered, wait ?? 0), wait);
    this.#answers = 0;
    this.#window = unopened();
  }

  #less(answered: number, wait: number): Borne {
    const { requests, span } = this.#borne;
    const proved = this.#proved;
    this.#proved = undefined;
    this.#isCounted = false;
    if (proved !== undefined) {
      if (this.#probe === probes.fine) this.#answersPerCheck *= 4;
      this.#probe = probes.fine;
      return proved;
    }
    if (this.#isEven) return { requests, span: span * 1.25 };
    if (answered < requests / 2) {
      this.#isEven = true;
      return this.#borne;
    }
    this.#isCounted = true;
    return { requests: answered, span: Math.max(wait, (span * answered) / requests) };
  }
}

/** Returns the count of requests that are sent at once. */
function unopened(): { readonly began: number; sent: number; answered: number } {
  return { began: Number.NEGATIVE_INFINITY, sent: 0, answered: 0 };
}

/** Returns a smaller load: one request in each wait is enough by the API's own word. */
function shortened({ requests, span }: Borne, wait = untoldWait): Borne {
  return { requests, span: Math.max(requests, Math.min(span, requests * wait)) };
}
