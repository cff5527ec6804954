/** Initial number of answers without a refusal after which a shorter span is tried. */
const firstAnswersPerCheck = 120;
/** Factors that shorten a span for a trial: the first one until a shortened span is refused, the second one from then on. */
const probes = { first: 0.8, fine: 0.95 };
/** Greatest interval in ms between two requests, if a refusal names no wait. */
const defaultWait = 250;
/** Factor for the observed span. Requests may arrive closer together than they are sent. */
const margin = 1.05;

/** A load that an API has accepted. */
interface AcceptedLoad {
  readonly requests: number;
  readonly span: number;
}

/**
 * Allows as many requests in a span of time as an API has accepted. If the first refusal names a wait and so shows the period of
 * the limit, the requests of a span are sent all at once, until fewer than half of them are accepted or a shorter span is tried.
 * Otherwise, and from then on, they are evenly spaced. Pure: all times (ms, of one clock) are arguments.
 */
export class Quota {
  #load: AcceptedLoad;
  #isEven: boolean;
  /** True if `answeredLate` raises the number of requests. */
  #isCounted = true;
  /** The load that was accepted before a shorter span was tried. */
  #provedLoad: AcceptedLoad | undefined;
  #answersPerCheck = firstAnswersPerCheck;
  #probe = probes.first;
  /** Number of answers since the last refusal. */
  #answers = 0;
  #window = emptyWindow();
  #lastSent = Number.NEGATIVE_INFINITY;

  /**
   * Creates the quota after a refusal. `answers` came in the `elapsed` ms before it. `wait`: the ms that the refusal says to
   * wait.
   */
  constructor(answers: number, elapsed: number, wait: number | undefined) {
    // If no wait is named, begins with half of the load that was too much.
    const span = wait === undefined ? 2 * elapsed : margin * Math.max(elapsed, wait);
    // A limit holds for a period such as a second or a minute, and the wait shows its length. If the answers took longer than the
    // wait, they came in more than one period, so sending all these requests at once would exceed the limit.
    this.#isEven = wait === undefined || elapsed > wait;
    this.#load = shortened({ requests: Math.max(1, answers), span }, wait);
  }

  /** Milliseconds from one request to the next, on average. */
  get interval(): number {
    return this.#load.span / this.#load.requests;
  }

  /** Returns the milliseconds until the next request may be sent. */
  delay(now: number): number {
    const { requests, span } = this.#load;
    const { began, sent } = this.#window;
    const next = this.#isEven ? this.#lastSent + this.interval : sent < requests ? now : began + span;
    return Math.max(0, next - now);
  }

  sent(now: number): void {
    if (now >= this.#window.began + this.#load.span) this.#window = { began: now, sent: 0, answered: 0 };
    this.#window.sent += 1;
    this.#lastSent = now;
  }

  /** Counts an answer. After enough answers without a refusal, tries the same number of requests in a slightly shorter span. */
  answered(began: number): void {
    if (began >= this.#window.began) this.#window.answered += 1;
    this.#answers += 1;
    if (this.#answers % this.#answersPerCheck !== 0) return;
    this.#provedLoad = this.#load;
    this.#load = { ...this.#load, span: this.#load.span * this.#probe };
    this.#isEven = true;
  }

  /** Counts an answer to a request that was sent before the last refusal. */
  answeredLate(): void {
    if (this.#isCounted) this.#load = { ...this.#load, requests: this.#load.requests + 1 };
  }

  refused(wait: number | undefined): void {
    this.#load = shortened(this.#reducedLoad(this.#window.answered, wait ?? 0), wait);
    this.#answers = 0;
    this.#window = emptyWindow();
  }

  #reducedLoad(answered: number, wait: number): AcceptedLoad {
    const { requests, span } = this.#load;
    const provedLoad = this.#provedLoad;
    this.#provedLoad = undefined;
    this.#isCounted = false;
    if (provedLoad !== undefined) {
      if (this.#probe === probes.fine) this.#answersPerCheck *= 4;
      this.#probe = probes.fine;
      return provedLoad;
    }
    if (this.#isEven) return { requests, span: span * 1.25 };
    if (answered < requests / 2) {
      this.#isEven = true;
      return this.#load;
    }
    this.#isCounted = true;
    return { requests: answered, span: Math.max(wait, (span * answered) / requests) };
  }
}

/** Returns a window in which no request was sent. */
function emptyWindow(): { readonly began: number; sent: number; answered: number } {
  return { began: Number.NEGATIVE_INFINITY, sent: 0, answered: 0 };
}

/** Returns the load with its span limited: the interval between requests is at most `wait` ms, and at least one millisecond. */
function shortened({ requests, span }: AcceptedLoad, wait = defaultWait): AcceptedLoad {
  return { requests, span: Math.max(requests, Math.min(span, requests * wait)) };
}
