/** Answers without a refusal after which a shorter span is tried. */
const firstPatience = 120;
/** What the span is multiplied by where a shorter one is tried: until that is refused for the first time, and from then on. */
const probes = { first: 0.8, fine: 0.95 };
/** The longest time (ms) for one request where a refusal tells no wait. */
const untoldWait = 250;
/** A little more than the span that was seen: requests do not arrive as far apart as they are sent. */
const margin = 1.05;

/** What an API was seen to bear. */
interface Borne {
  readonly requests: number;
  readonly span: number;
}

/**
 * So many requests in a span of time as an API was seen to bear: all at once, until that is refused or less time is
 * tried; from then on at even distances. Pure: all times (ms, of one clock) are given.
 */
export class Quota {
  #borne: Borne;
  #isEven: boolean;
  /** Do answers to what was sent before the last refusal count for what is borne? */
  #isCounted = true;
  /** What was borne before less time was tried. */
  #proved: Borne | undefined;
  #patience = firstPatience;
  #probe = probes.first;
  /** Answers since the last refusal. */
  #answers = 0;
  #window = unopened();
  #last = Number.NEGATIVE_INFINITY;

  /** After `answers` in `elapsed` ms the API refused, and told to wait so long. */
  constructor(answers: number, elapsed: number, wait: number | undefined) {
    // Nothing is told of the wait: half of what was too much.
    const span = wait === undefined ? 2 * elapsed : margin * Math.max(elapsed, wait);
    // Limits are of a second or a minute, not of the time that was spent below them.
    this.#isEven = wait === undefined || elapsed > wait;
    this.#borne = shortened({ requests: Math.max(1, answers), span }, wait);
  }

  /** Milliseconds from one request to the next, on average. */
  get interval(): number {
    return this.#borne.span / this.#borne.requests;
  }

  /** Milliseconds until the next request may be sent. */
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

  /** What is not refused for a while is tried in a little less time. */
  answered(began: number): void {
    if (began >= this.#window.began) this.#window.answered += 1;
    this.#answers += 1;
    if (this.#answers % this.#patience !== 0) return;
    this.#proved = this.#borne;
    this.#borne = { ...this.#borne, span: this.#borne.span * this.#probe };
    this.#isEven = true;
  }

  /** To what was sent before the last refusal. */
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
      if (this.#probe === probes.fine) this.#patience *= 4;
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

/** Of what is sent at once. */
function unopened(): { readonly began: number; sent: number; answered: number } {
  return { began: Number.NEGATIVE_INFINITY, sent: 0, answered: 0 };
}

/** One request in each such wait is what the API itself calls enough. */
function shortened({ requests, span }: Borne, wait = untoldWait): Borne {
  return { requests, span: Math.max(requests, Math.min(span, requests * wait)) };
}
