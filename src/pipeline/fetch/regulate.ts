import type { Cancellation } from "../../core/cancellation.ts";
import type { Regulator } from "../../http/pacing/regulator.ts";
import { wait } from "../../http/pacing/retry.ts";
import type { AdaptiveInFlight } from "../in-flight.ts";

/** Creates a regulator. Requests begin in the order in which `turn` is called, as soon as the quota of `inFlight` allows them. */
export function regulate(inFlight: AdaptiveInFlight): Regulator {
  let last: Promise<unknown> | undefined;
  return { turn, answered, refused, usedUp };

  function turn(open: () => Promise<boolean> | undefined, signal: Cancellation): Promise<boolean> | undefined {
    if (inFlight.quota === undefined && last === undefined) return open();
    const before = last;
    const ownWork = begin(before, open, signal);
    const ended = ownWork.catch(() => undefined);
    last = ended;
    void ended.then(() => {
      if (last === ended) last = undefined;
    });
    return ownWork;
  }

  async function begin(
    before: Promise<unknown> | undefined,
    open: () => Promise<boolean> | undefined,
    signal: Cancellation,
  ): Promise<boolean> {
    await before;
    signal.throwIfAborted();
    for (let ms = inFlight.delay(performance.now()); ms > 0; ms = inFlight.delay(performance.now()))
      await wait(ms, signal);
    const begins = (await open()) ?? true;
    if (begins) inFlight.sent(performance.now());
    return begins;
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
