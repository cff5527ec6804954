import type { Regulator } from "../../http/regulator.ts";
import { wait } from "../../http/retry.ts";
import type { AdaptiveInFlight } from "../in-flight.ts";

/** Lets requests begin in the order in which they ask, as far apart as `inFlight` says, and tells it how they fare. */
export function regulate(inFlight: AdaptiveInFlight): Regulator {
  let last: Promise<void> | undefined;
  let began = Number.NEGATIVE_INFINITY;
  return { turn, answered, refused, usedUp };

  function turn(open: () => Promise<void> | undefined, signal: AbortSignal): Promise<void> | undefined {
    if (inFlight.interval === 0 && last === undefined) return open();
    const before = last;
    const own = begin(before, open, signal);
    const ended = own.catch(() => undefined);
    last = ended;
    void ended.then(() => {
      if (last === ended) last = undefined;
    });
    return own;
  }

  async function begin(
    before: Promise<void> | undefined,
    open: () => Promise<void> | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    await before;
    signal.throwIfAborted();
    for (let now = performance.now(); now < began + inFlight.interval; now = performance.now()) {
      await wait(began + inFlight.interval - now, signal);
    }
    await open();
    began = performance.now();
  }

  function answered(sent: number): void {
    inFlight.answered(sent, performance.now());
  }

  function refused(sent: number, ms: number | undefined): void {
    inFlight.refused(sent, performance.now(), ms);
  }

  function usedUp(sent: number): void {
    inFlight.usedUp(sent, performance.now());
  }
}
