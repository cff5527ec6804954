import type { Cancellation } from "../../core/cancellation.ts";
import type { PartRates, Rate } from "./rates.ts";
import { wait } from "./retry.ts";

/** The beginning of a request. Its time (ms of `performance.now`) is an estimate until the request begins. */
interface Beginning {
  time: number;
}

/** The latest beginnings under one rate, as many as a period allows. A new beginning replaces the oldest, and must be a period later. */
class RateWindow {
  readonly #latest: Beginning[] = [];
  readonly rate: Rate;
  #count = 0;

  constructor(rate: Rate) {
    this.rate = rate;
  }

  /** Adds a beginning. Returns the beginning that it replaces: a whole period must pass between the two. */
  enter(beginning: Beginning): Beginning | undefined {
    const place = this.#count % this.rate.requests;
    const before = this.#latest[place];
    this.#latest[place] = beginning;
    this.#count += 1;
    return before;
  }
}

/** An earlier beginning, and the period that must pass after it. */
interface Bound {
  readonly before: Beginning | undefined;
  readonly period: number;
}

/** A wait during which an origin gets no request. */
export interface OriginWait {
  /** Time (ms of `performance.now`) at which it ends. */
  readonly until: number;
  readonly reason: string | undefined;
  /** True if the wait was reported already. */
  isReported: boolean;
}

/** Lets requests to an origin pass: as many as the rates allow, and none while the origin asks to wait. */
export class Gate {
  readonly #rates: readonly Rate[];
  readonly #waits: boolean;
  readonly #held = new Map<string, OriginWait>();
  /** The windows of all rates, by origin and by the key of a part. */
  readonly #windows = new Map<string, readonly RateWindow[]>();

  /** `rates`: all apply, to each origin separately. `waits`: false to let all requests pass at once. */
  constructor(rates: readonly Rate[], waits = true) {
    this.#rates = rates;
    this.#waits = waits;
  }

  /** Holds back all requests to an origin for `ms`. `reason`: absent if the wait was reported already. */
  hold(origin: string, ms: number, reason?: string): void {
    if (!this.#waits) return;
    const until = performance.now() + ms;
    if (until > (this.#held.get(origin)?.until ?? 0))
      this.#held.set(origin, { until, reason, isReported: reason === undefined });
  }

  /**
   * Resolves when a request may begin; undefined if it may begin at once. `waiting`: called before a wait with its reason; an error
   * that it throws ends the wait. `part`: rates that apply in addition to those of the gate.
   */
  pass(
    origin: string,
    signal: Cancellation,
    waiting: (originWait: OriginWait) => void,
    part?: PartRates | undefined,
  ): Promise<void> | undefined {
    const partRates = this.#waits ? part : undefined;
    if (this.#rates.length === 0 && partRates === undefined && this.#held.size === 0) return undefined;
    return this.#turn(origin, signal, { waiting, partRates });
  }

  async #turn(
    origin: string,
    signal: Cancellation,
    {
      waiting,
      partRates,
    }: { readonly waiting: (originWait: OriginWait) => void; readonly partRates: PartRates | undefined },
  ): Promise<void> {
    do {
      await this.#awaitRelease(origin, signal, waiting);
      await this.#awaitRates(origin, signal, partRates);
      // During the wait the origin may have asked for another wait.
    } while ((this.#held.get(origin)?.until ?? 0) > performance.now());
  }

  async #awaitRelease(origin: string, signal: Cancellation, waiting: (originWait: OriginWait) => void): Promise<void> {
    for (;;) {
      const originWait = this.#held.get(origin);
      const now = performance.now();
      if (originWait === undefined || originWait.until <= now) return;
      waiting(originWait);
      await wait(originWait.until - now, signal);
    }
  }

  async #awaitRates(origin: string, signal: Cancellation, part: PartRates | undefined): Promise<void> {
    const all = [...(part === undefined ? [] : [part]), { key: "", rates: this.#rates }];
    const beginning: Beginning = { time: performance.now() };
    const bounds: Bound[] = [];
    // A request that waits for the rates of its part does not yet count for the rates of all requests.
    for (const { key, rates } of all) {
      for (const window of this.#windowsOf(key, origin, rates)) {
        bounds.push({ before: window.enter(beginning), period: window.rate.period });
      }
      await this.#awaitPeriods(beginning, bounds, signal);
    }
    // Evenly spaced requests count from the expected times, so that they keep their rhythm. Other rates count from the real
    // beginnings.
    if (!all.every(({ rates }) => rates.every(({ even }) => even))) beginning.time = performance.now();
  }

  #windowsOf(key: string, origin: string, rates: readonly Rate[]): readonly RateWindow[] {
    const name = `${origin} ${key}`;
    const windows = this.#windows.get(name) ?? rates.map((rate) => new RateWindow(rate));
    this.#windows.set(name, windows);
    return windows;
  }

  /** Waits until a whole period has passed since the earlier beginning of each bound. */
  async #awaitPeriods(beginning: Beginning, bounds: readonly Bound[], signal: Cancellation): Promise<void> {
    for (;;) {
      // The earlier request may have begun later than expected.
      const earliest = Math.max(
        beginning.time,
        ...bounds.map(({ before, period }) => (before?.time ?? -period) + period),
      );
      const now = performance.now();
      beginning.time = earliest;
      if (earliest <= now) return;
      await wait(earliest - now, signal);
    }
  }
}
