import { wait } from "./retry.ts";

/** Lets requests to an origin through: at most so many a second, and none while the origin asked to wait. */
export interface Gate {
  pass(origin: string, signal: AbortSignal): Promise<void> | undefined;
  /** Holds all requests to the origin back for `ms`. */
  hold(origin: string, ms: number): void;
}

/** Lets everything through at once. */
export const openGate: Gate = { pass: () => undefined, hold: () => undefined };

/** `rate`: requests a second to each origin, evenly spaced; undefined is no limit. */
export function createGate(rate: number | undefined): Gate {
  const spacing = rate === undefined ? 0 : 1000 / rate;
  const held = new Map<string, number>();
  const slots = new Map<string, number>();
  const turn = async (origin: string, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const until = held.get(origin) ?? 0;
      const now = performance.now();
      if (until <= now) break;
      await wait(until - now, signal);
    }
    if (spacing === 0) return;
    const now = performance.now();
    const slot = Math.max(now, slots.get(origin) ?? 0);
    slots.set(origin, slot + spacing);
    if (slot > now) await wait(slot - now, signal);
    // Another request may have been told to slow down meanwhile.
    if ((held.get(origin) ?? 0) > performance.now()) await turn(origin, signal);
  };
  return {
    pass: (origin, signal) => (spacing === 0 && held.size === 0 ? undefined : turn(origin, signal)),
    hold(origin, ms) {
      held.set(origin, Math.max(held.get(origin) ?? 0, performance.now() + ms));
    },
  };
}
