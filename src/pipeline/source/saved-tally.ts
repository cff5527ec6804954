import type { JobPlan } from "../../compile/plan.ts";
import type { Verdict } from "../../core/page.ts";
import type { Value } from "../../core/value.ts";
import { createTally, type Tally } from "./tally.ts";

/** A tally as plain JSON, without the warnings given: a run that is taken up gives them once more. */
interface SavedTally extends Omit<Tally, "plan" | "verdicts" | "warned"> {
  readonly verdicts: readonly (Counted & { readonly kind: Verdict["kind"] })[];
}

interface Counted {
  readonly count: number;
  readonly first: Verdict;
  readonly label: string;
}

/** `logins` counts those of the job so far. */
export function saveTally(tally: Tally, logins: number): Value {
  const { plan: _plan, warned: _warned, verdicts, ...counts } = tally;
  const saved: SavedTally = {
    ...counts,
    logins,
    verdicts: [...verdicts].map(([kind, counted]) => ({ kind, ...counted })),
  };
  return saved as unknown as Value;
}

export function restoreTally(plan: JobPlan, saved: Value): Tally {
  const tally = createTally(plan);
  if (saved === null) return tally;
  const { verdicts, ...counts } = saved as unknown as SavedTally;
  return { ...tally, ...counts, verdicts: new Map(verdicts.map(({ kind, ...counted }) => [kind, counted])) };
}
