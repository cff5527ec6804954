import type { AdaptiveInFlight } from "../../src/pipeline/in-flight.ts";
import { createRandom } from "../helpers/random.ts";

/** Answers a request that arrives at `now`, after `latency`. `refused`: the wait that a refusal requests. All times are in ms. */
export type SimulatedApi = (now: number) => { readonly latency: number; readonly refused?: number };

export const simulatedApis: Readonly<Record<string, () => SimulatedApi>> = {
  "answers in 50 ms": () => () => ({ latency: 50 }),
  "answers in 5 ms": () => () => ({ latency: 5 }),
  "works on three requests at a time": () => {
    const free = [0, 0, 0];
    return (now) => {
      free.sort((one, other) => one - other);
      const ends = Math.max(now, free[0] ?? 0) + 20;
      free[0] = ends;
      return { latency: ends - now };
    };
  },
  "accepts ten in each second": () => rated(20),
  "accepts ten in each second, slowly": () => rated(600),
  "accepts ten in each second, but none in the first": () => rated(20, 10),
  "accepts ten in each second, but two in the first": () => rated(20, 8),
  "accepts ten in any period of a second": () => {
    const taken: number[] = [];
    return (now) => {
      while (taken[0] !== undefined && taken[0] <= now - 1000) taken.shift();
      if (taken.length >= 10) return { latency: 2, refused: 1000 };
      taken.push(now);
      return { latency: 20 };
    };
  },
  "accepts one in 100 ms, and five ahead": () => {
    let ahead = 0;
    let last = 0;
    return (now) => {
      const next = Math.max(0, ahead - (now - last) / 100);
      if (next > 5) return { latency: 2, refused: 1000 };
      ahead = next + 1;
      last = now;
      return { latency: 20 };
    };
  },
  "accepts bursts of 20": () => {
    let tokens = 20;
    let last = 0;
    return (now) => {
      tokens = Math.min(20, tokens + ((now - last) * 20) / 1000);
      last = now;
      if (tokens < 1) return { latency: 2, refused: 1000 };
      tokens -= 1;
      return { latency: 20 };
    };
  },
};

/**
 * Creates an API that accepts ten requests in each second, counted from the first request, and refuses more until the next second.
 * `used`: number of requests that others have made in the first second.
 */
function rated(latency: number, used = 0): SimulatedApi {
  let start = 0;
  let count = used;
  return (now) => {
    if (now >= start + 1000) {
      start = now;
      count = 0;
    }
    count += 1;
    return count > 10 ? { latency: 2, refused: Math.ceil((start + 1000 - now) / 1000) * 1000 } : { latency };
  };
}

export interface Simulated {
  readonly ms: number;
  readonly requests: number;
  readonly refused: number;
}

interface Event {
  readonly at: number;
  happen(now: number): void;
}

/** Simulates a job of this number of pages, which end in order. Each request takes `work` ms of the client's own time. */
export function simulate(api: SimulatedApi, load: AdaptiveInFlight | number, pages: number, work = 0): Simulated {
  const fixed = typeof load === "number" ? load : undefined;
  const adaptive = typeof load === "number" ? undefined : load;
  const events: Event[] = [];
  const answered = new Set<number>();
  const queue: number[] = [];
  const total = { requests: 0, refused: 0 };
  let now = 0;
  const random = createRandom(1);
  let settled = 0;
  let asked = 0;
  let held = 0;

  while (settled < pages) {
    ask();
    const free = Math.max(now, held);
    const ready = free + (adaptive?.delay(free) ?? 0);
    const next = events.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
    const page = ready <= next ? queue.shift() : undefined;
    if (page !== undefined) {
      now = ready + work;
      send(page);
      continue;
    }
    now = Math.max(now, next);
    for (const event of events.filter(({ at }) => at <= now)) {
      events.splice(events.indexOf(event), 1);
      event.happen(now);
    }
    while (answered.has(settled)) settled += 1;
  }
  return { ms: now, ...total };

  function ask(): void {
    for (;;) {
      if (asked >= pages) return;
      const outstanding = asked - settled;
      if (!(adaptive?.allows(outstanding) ?? outstanding < (fixed ?? 1))) return;
      if (adaptive !== undefined && outstanding > 0 && !adaptive.guesses(outstanding, settled)) return;
      queue.push(asked);
      asked += 1;
    }
  }

  function send(page: number): void {
    const sent = now;
    adaptive?.sent(now);
    total.requests += 1;
    const { latency, refused } = api(now + random.below(3000) / 1000);
    const happen = (at: number): void => {
      if (refused === undefined) {
        adaptive?.answered(sent, at);
        answered.add(page);
        return;
      }
      total.refused += 1;
      adaptive?.refused(sent, at, refused);
      held = Math.max(held, at + refused);
      events.push({ at: at + refused, happen: () => queue.push(page) });
    };
    events.push({ at: now + latency, happen });
  }
}
