import type { Cancellation } from "../../core/cancellation.ts";
import type { PartRates, Rate } from "./rates.ts";
import { wait } from "./retry.ts";

/** The latest beginnings of requests under one rate, as many as a period allows. Times are in ms of `performance.now`. */
class RateWindow {
  readonly #latest: number[] = [];
  readonly rate: Rate;
  #count = 0;

  constructor(rate: Rate) {
    this.rate = rate;
  }

  /** The earliest time at which the next request may begin. */
  get due(): number {
    const before = this.#latest[this.#count % this.rate.requests];
    return before === undefined ? 0 : before + this.rate.period;
  }

  enter(time: number): void {
    this.#latest[this.#count % this.rate.requests] = time;
    this.#count += 1;
  }
}

/** Requests that wait for the same rates. Only the one at the head waits for a time, so all others are free to leave. */
class Queue {
  readonly windows: readonly RateWindow[];
  #hasHead = false;
  readonly #first: (() => void)[] = [];
  readonly #others: (() => void)[] = [];

  constructor(rates: readonly Rate[]) {
    this.windows = rates.map((rate) => new RateWindow(rate));
  }

  /** Runs `work` as the head: after the requests that came before, and before those that have no precedence if `isFirst`. */
  async atHead<T>(work: () => Promise<T>, signal: Cancellation, isFirst: boolean): Promise<T> {
    if (this.#hasHead) await this.#wait(isFirst ? this.#first : this.#others, signal);
    this.#hasHead = true;
    try {
      return await work();
    } finally {
      const next = this.#first.shift() ?? this.#others.shift();
      // The head passes on to the next request at once, so that no newcomer comes between.
      if (next === undefined) this.#hasHead = false;
      else next();
    }
  }

  #wait(waiting: (() => void)[], signal: Cancellation): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const proceed = (): void => {
        signal.removeEventListener("abort", abort);
        resolve();
      };
      const abort = (): void => {
        waiting.splice(waiting.indexOf(proceed), 1);
        signal.removeEventListener("abort", abort);
        reject(signal.reason);
      };
      waiting.push(proceed);
      signal.addEventListener("abort", abort);
    });
  }
}

/** A wait during which an origin gets no request. */
export interface OriginWait {
  /** Time (ms of `performance.now`) at which it ends. */
  readonly until: number;
  readonly reason: string | undefined;
  /** True if the wait was reported already. */
  isReported: boolean;
}

export interface PassOptions {
  readonly signal: Cancellation;
  /** Called before a wait with its reason. An error that it throws ends the wait. */
  readonly waiting: (originWait: OriginWait) => void;
  /** Rates that apply in addition to those of the gate. */
  readonly part?: PartRates | undefined;
  /** True if the request goes before those that already wait, which may need its answer. */
  readonly isFirst?: boolean | undefined;
  /** Asked after the wait. If it returns false, the request does not begin and does not count. */
  readonly isReady?: (() => boolean) | undefined;
}

/** Lets requests to an origin pass: as many as the rates allow, and none while the origin asks to wait. */
export class Gate {
  readonly #rates: readonly Rate[];
  readonly #waits: boolean;
  readonly #held = new Map<string, OriginWait>();
  /** The queues for all rates, by origin and by the key of a part. */
  readonly #queues = new Map<string, Queue>();

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
   * Resolves when a request has to begin: with true, or with false if `isReady` returned false. Undefined if the request may begin
   * at once.
   */
  pass(origin: string, options: PassOptions): Promise<boolean> | undefined {
    const part = this.#waits ? options.part : undefined;
    if (this.#rates.length === 0 && part === undefined && this.#held.size === 0) return undefined;
    const { signal, isFirst = false } = options;
    const entered = performance.now();
    const general = this.#queueOf("", origin, this.#rates);
    if (part === undefined) {
      return general.atHead(() => this.#begin(origin, general.windows, entered, options), signal, isFirst);
    }
    const own = this.#queueOf(part.key, origin, part.rates);
    // A request that waits for the rates of its part is not yet in the queue for the rates of all requests.
    return own.atHead(
      async () => {
        await waitUntil(() => dueOf(own.windows), signal);
        const windows = [...own.windows, ...general.windows];
        return general.atHead(() => this.#begin(origin, windows, entered, options), signal, isFirst);
      },
      signal,
      isFirst,
    );
  }

  #queueOf(key: string, origin: string, rates: readonly Rate[]): Queue {
    const name = `${origin} ${key}`;
    const queue = this.#queues.get(name) ?? new Queue(rates);
    this.#queues.set(name, queue);
    return queue;
  }

  /** Waits at the head until all windows and the origin allow a request, and counts it. `entered`: time of the call of `pass`. */
  async #begin(
    origin: string,
    windows: readonly RateWindow[],
    entered: number,
    { signal, waiting, isReady = () => true }: PassOptions,
  ): Promise<boolean> {
    const earliest = (): number => Math.max(entered, dueOf(windows), this.#held.get(origin)?.until ?? 0);
    await waitUntil(() => {
      const originWait = this.#held.get(origin);
      if (originWait !== undefined && originWait.until > performance.now()) waiting(originWait);
      return earliest();
    }, signal);
    if (!isReady()) return false;
    // Evenly spaced requests count from the expected times, so that they keep their rhythm. Other rates count from the real
    // beginnings.
    const time = windows.every(({ rate }) => rate.even) ? earliest() : performance.now();
    for (const window of windows) window.enter(time);
    return true;
  }
}

function dueOf(windows: readonly RateWindow[]): number {
  return Math.max(0, ...windows.map(({ due }) => due));
}

/** Waits until the time that `due` returns, which may grow during the wait. */
async function waitUntil(due: () => number, signal: Cancellation): Promise<void> {
  for (let ms = due() - performance.now(); ms > 0; ms = due() - performance.now()) await wait(ms, signal);
}
