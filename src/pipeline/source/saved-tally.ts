import type { Verdict } from "../../core/page.ts";
import type { Secrets } from "../../core/redact.ts";
import type { Value } from "../../core/value.ts";
import type { Place } from "../../resume/progress.ts";
import type { JobPlan } from "../../compile/plan.ts";
import { createTally, type Tally } from "./tally.ts";

/** Where one run of the configuration stands, between two pages of a top-level job or between two jobs. */
export interface Standing extends Omit<Place, "iteration"> {
  /** Of the job under way; undefined between jobs. */
  readonly tally: SavedTally | undefined;
}

/** A tally as plain JSON, without the warnings given: a run that is taken up gives them once more. */
export interface SavedTally extends Omit<Tally, "plan" | "verdicts" | "warned"> {
  readonly verdicts: readonly (Counted & { readonly kind: Verdict["kind"] })[];
}

interface Counted {
  readonly count: number;
  readonly first: Verdict;
  readonly label: string;
}

/** `logins` counts those of the job so far. */
export function saveTally(tally: Tally, logins: number): SavedTally {
  const { plan: _plan, warned: _warned, verdicts, ...counts } = tally;
  return { ...counts, logins, verdicts: [...verdicts].map(([kind, counted]) => ({ kind, ...counted })) };
}

export function restoreTally(plan: JobPlan, saved: SavedTally | undefined): Tally {
  const tally = createTally(plan);
  if (saved === undefined) return tally;
  const { verdicts, ...counts } = saved;
  return { ...tally, ...counts, verdicts: new Map(verdicts.map(({ kind, ...counted }) => [kind, counted])) };
}

/** Every text of a plain JSON value masked, names of fields excepted. */
export function maskedValue(value: unknown, secrets: Secrets): Value {
  if (typeof value === "string") return secrets.mask(value);
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, secrets));
  if (typeof value !== "object" || value === null) return (value ?? null) as Value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([name, item]) => [name, maskedValue(item, secrets)]));
}
