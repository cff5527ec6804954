import type { Cancellation } from "../core/cancellation.ts";
import type { Rate } from "./rates.ts";
import { wait } from "./retry.ts";

/** The beginning of a request: its time (ms of `performance.now`), expected or real. */
interface Beginning {
  at: number;
}

/** The latest beginnings under one rate. A new one takes the place of the one that it must keep away from. */
class RateWindow {
  readonly #latest: Beginning[] = [];
  readonly rate: Rate;
  #count = 0;

  constructor(rate: Rate) {
    this.rate = rate;
  }

  /** Adds a beginning. Returns the one after which a whole period must have passed. */
  enter(beginning: Beginning): Beginning | undefined {
    const place = this.#count % this.rate.requests;
    const before = this.#latest[place];
    this.#latest[place] = beginning;
    this.#count += 1;
    return before;
  }
}

/** The reason why an origin gets no request for now. */
export interface Held {
  /** Time (ms of `performance.now`) at which it ends. */
  readonly until: number;
  readonly reason: string | undefined;
  /** The wait was already reported. */
  told: boolean;
}

/** Lets requests to an origin pass: as many as the rates allow, and none while the origin asks to wait. */
export class Gate {
  readonly #rates: readonly Rate[];
  readonly #waits: boolean;
  readonly #held = new Map<string, Held>();
  readonly #windows = new Map<string, readonly RateWindow[]>();

  /** All rates apply, to each origin by itself. Without `waits` everything passes at once. */
  constructor(rates: readonly Rate[], waits = true) {
    this.#rates = rates;
    this.#waits = waits;
  }

  /** Holds all requests to the origin back for `ms`. Without a reason it has been reported already. */
  hold(origin: string, ms: number, reason?: string): void {
    if (!this.#waits) return;
    const until = performance.now() + ms;
    if (until > (this.#held.get(origin)?.until ?? 0))
      this.#held.set(origin, { until, reason, told: reason === undefined });
  }

  /** Resolves when a request may begin. `waiting` gets the reason for a wait; an error that it throws ends the wait. */
  pass(origin: string, signal: Cancellation, waiting: (held: Held) => void): Promise<void> | undefined {
    if (this.#rates.length === 0 && this.#held.size === 0) return undefined;
    return this.#turn(origin, signal, waiting);
  }

  async #turn(origin: string, signal: Cancellation, waiting: (held: Held) => void): Promise<void> {
    do {
      await this.#released(origin, signal, waiting);
      await this.#spaced(origin, signal);
      // The origin may have asked to slow down meanwhile.
    } while ((this.#held.get(origin)?.until ?? 0) > performance.now());
  }

  async #released(origin: string, signal: Cancellation, waiting: (held: Held) => void): Promise<void> {
    for (;;) {
      const held = this.#held.get(origin);
      const now = performance.now();
      if (held === undefined || held.until <= now) return;
      waiting(held);
      await wait(held.until - now, signal);
    }
  }

  async #spaced(origin: string, signal: Cancellation): Promise<void> {
    if (this.#rates.length === 0) return;
    const windows = this.#windows.get(origin) ?? this.#rates.map((rate) => new RateWindow(rate));
    this.#windows.set(origin, windows);
    const own: Beginning = { at: performance.now() };
    const bounds = windows.map((one) => ({ before: one.enter(own), period: one.rate.period }));
    for (;;) {
      // The one before may have begun later than expected.
      const earliest = Math.max(own.at, ...bounds.map(({ before, period }) => (before?.at ?? -period) + period));
      const now = performance.now();
      own.at = earliest;
      if (earliest <= now) break;
      await wait(earliest - now, signal);
    }
    // Even spacing keeps to its beat; a list of rates counts from when requests really began.
    if (!this.#rates.every(({ even }) => even)) own.at = performance.now();
  }
}
