import type { JobPlan } from "../../compile/plan.ts";
import type { Verdict } from "../../core/page.ts";
import type { JobResult } from "../../core/run.ts";

/** The running count of one top-level job, its children's included. */
export interface Tally {
  readonly plan: JobPlan;
  pages: number;
  records: number;
  /** Records dropped by `--unique`. */
  duplicates: number;
  bytes: number;
  requests: number;
  retries: number;
  logins: number;
  readonly verdicts: Map<Verdict["kind"], { count: number; first: Verdict; label: string }>;
  runs: number;
  expected: number | undefined;
  byCommand: boolean;
  failure: string | undefined;
  /** Warnings already given, so that each is given once a job. */
  readonly warned: Set<string>;
}

export function createTally(plan: JobPlan): Tally {
  return {
    plan,
    pages: 0,
    records: 0,
    duplicates: 0,
    bytes: 0,
    requests: 0,
    retries: 0,
    logins: 0,
    verdicts: new Map(),
    runs: 0,
    expected: undefined,
    byCommand: false,
    failure: undefined,
    warned: new Set(),
  };
}

/** Adds how one run of the job, or of a child of it, ended. */
export function addVerdict(tally: Tally, plan: JobPlan, verdict: Verdict): void {
  const known = tally.verdicts.get(verdict.kind);
  if (known === undefined) tally.verdicts.set(verdict.kind, { count: 1, first: verdict, label: plan.label });
  else known.count += 1;
  tally.runs += 1;
  if (plan === tally.plan && verdict.expected !== undefined) tally.expected = verdict.expected;
  if (verdict.byCommand === true) tally.byCommand = true;
}

/** Suspect where any run was, else limited where any was, else complete. `unique`: were records dropped by their keys? */
export function jobResult(tally: Tally, unique: boolean): JobResult {
  const { plan, pages, records, bytes, requests, retries, logins, expected, byCommand } = tally;
  const dropped = tally.duplicates > 0 ? `; ${tally.duplicates} dropped by --unique` : "";
  const counts = {
    job: plan.label,
    dataType: plan.dataType,
    pages,
    records,
    bytes,
    requests,
    retries,
    logins,
    expected,
    byCommand,
    ...(unique ? { duplicates: tally.duplicates } : {}),
  };
  if (tally.failure !== undefined) return { ...counts, verdict: "failed", reason: tally.failure };
  for (const kind of ["suspect", "limited"] as const) {
    const found = tally.verdicts.get(kind);
    if (found === undefined) continue;
    const { count, first, label } = found;
    const of = tally.runs > 1 ? `${count} of ${tally.runs} runs, the first in ${label}: ` : "";
    return { ...counts, verdict: kind, reason: of + first.reason + dropped };
  }
  return { ...counts, verdict: "complete", reason: (tally.verdicts.get("complete")?.first.reason ?? "") + dropped };
}
