/** Number of answers without a refusal after which a shorter span is tried. */
const firstAnswersPerCheck = 120;
/** Factors that shorten a span for a trial: the first one until a shortened span is refused, the second one from then on. */
const probes = { first: 0.8, fine: 0.95 };
/** Longest time in ms for one request, if a refusal names no wait. */
const untoldWait = 250;
/** Factor for the observed span. Requests may arrive closer together than they are sent. */
const margin = 1.05;

/** A load that an API has accepted. */
interface Borne {
  readonly requests: number;
  readonly span: number;
}

/**
 * Allows as many requests in a span of time as an API has accepted. They are sent all at once until that is refused or a shorter
 * span is tried, and evenly spaced from then on. Pure: all times (ms, of one clock) are arguments.
 */
export class Quota {
  #borne: Borne;
  #isEven: boolean;
  /** True if answers to requests that were sent before the last refusal count. */
  #isCounted = true;
  /** The load that was accepted before a shorter span was tried. */
  #proved: Borne | undefined;
  #answersPerCheck = firstAnswersPerCheck;
  #probe = probes.first;
  /** Number of answers since the last refusal. */
  #answers = 0;
  #window = unopened();
  #last = Number.NEGATIVE_INFINITY;

  /** Creates the quota after a refusal. `answers` came in `elapsed` ms before it; `wait`: the wait that it names. */
  constructor(answers: number, elapsed: number, wait: number | undefined) {
    // If no wait is named, begins with half of the load that was too much.
    const span = wait === undefined ? 2 * elapsed : margin * Math.max(elapsed, wait);
    // Limits hold for a second or a minute, not for the time that was spent below them.
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

  /** Counts an answer. If a load is not refused for a while, it is tried in a little less time. */
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

/** Returns the count for requests that are sent at once. */
function unopened(): { readonly began: number; sent: number; answered: number } {
  return { began: Number.NEGATIVE_INFINITY, sent: 0, answered: 0 };
}

/** Returns a smaller load, but at least one request for each wait that the API names. */
function shortened({ requests, span }: Borne, wait = untoldWait): Borne {
  return { requests, span: Math.max(requests, Math.min(span, requests * wait)) };
}
