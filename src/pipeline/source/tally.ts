import type { Verdict } from "../../core/runs/page.ts";
import type { JobResult } from "../../core/runs/run.ts";
import { counted } from "../../core/text/counted.ts";

/** The runs with verdicts of one kind: their number, the first run's verdict and the first run's name. */
export interface CountedVerdict {
  count: number;
  readonly first: Verdict;
  readonly run?: string | undefined;
}

/** The counts of one dataset of a top-level job so far. The dataset may be that of a child job. */
export interface Tally {
  readonly dataType: string;
  pages: number;
  records: number;
  /** Number of records dropped by `--unique`. */
  duplicates: number;
  /** Number of records that were left out because they are before the increment's start. */
  filtered: number;
  bytes: number;
  requests: number;
  retries: number;
  logins: number;
  readonly verdicts: Map<Verdict["kind"], CountedVerdict>;
  runs: number;
  /** True if a page had records, written or not. */
  hadRecords: boolean;
  /** Warning about the first run without records. It is reported if no run has records. Undefined if there is no such run. */
  emptyRun: string | undefined;
  /** Number of complete runs that ended because a rule of the configuration treats an answer as an end. */
  ruledRuns: number;
  /** The reason of the first such run. */
  firstRuled: string | undefined;
  /** Number of windows that have ended; undefined if the job has none. */
  windows: number | undefined;
  /**
   * For a job with windows: digests of the first pages of the current or the last window, one for each endpoint; null for an
   * empty page.
   */
  firstPages: { readonly of: string; readonly digests: readonly (string | null)[] } | undefined;
  /** True if the first page of the current window equals that of the previous window. */
  isRepeated: boolean;
  expected: number | undefined;
  byCommand: boolean;
  failure: string | undefined;
  /** Number of parent records of a child job for which a run has ended, well or not. */
  parents: number;
  /** Number of parent records for which the job has failed, if it continued with other parents. */
  failedParents: number;
  /** Message of the first of these failures. */
  firstFailure: string | undefined;
}

export function createTally(dataType: string): Tally {
  return {
    dataType,
    pages: 0,
    records: 0,
    duplicates: 0,
    filtered: 0,
    bytes: 0,
    requests: 0,
    retries: 0,
    logins: 0,
    verdicts: new Map(),
    runs: 0,
    hadRecords: false,
    emptyRun: undefined,
    ruledRuns: 0,
    firstRuled: undefined,
    windows: undefined,
    firstPages: undefined,
    isRepeated: false,
    expected: undefined,
    byCommand: false,
    failure: undefined,
    parents: 0,
    failedParents: 0,
    firstFailure: undefined,
  };
}

/** Counts the end of a run of a job. `run` is its name, if it has one. */
export function addVerdict(tally: Tally, verdict: Verdict, run?: string): void {
  const existing = tally.verdicts.get(verdict.kind);
  if (existing === undefined) tally.verdicts.set(verdict.kind, { count: 1, first: verdict, run });
  else existing.count += 1;
  tally.runs += 1;
  if (verdict.kind === "complete" && verdict.isRuled === true) {
    tally.ruledRuns += 1;
    tally.firstRuled ??= verdict.reason;
  }
  // If each of many runs has a total, none of them is the total of the dataset.
  tally.expected = tally.runs === 1 ? verdict.expected : undefined;
  if (verdict.byCommand === true) tally.byCommand = true;
}

/** Returns a clause about records that were dropped by their keys or are before the increment's start; "" if there are none. */
export function unwrittenWords({ duplicates = 0, filtered = 0 }: Pick<JobResult, "duplicates" | "filtered">): string {
  const dropped = duplicates > 0 ? `; ${duplicates} dropped by --unique` : "";
  return filtered > 0 ? `${dropped}; ${filtered} before the increment's start left out` : dropped;
}

/**
 * Returns the result: failed after a failure, else suspect if any run was, else limited if any was, else complete. `unique`: true
 * if the run drops duplicates.
 */
export function resultOf(tally: Tally, unique: boolean): JobResult {
  const { dataType, pages, records, bytes, requests, retries, logins, expected, byCommand, windows } = tally;
  const unwritten = unwrittenWords(tally);
  const ended = (verdict: JobResult["verdict"], reason: string): JobResult => ({
    verdict,
    reason,
    job: dataType,
    dataType,
    pages,
    records,
    bytes,
    requests,
    retries,
    logins,
    expected,
    byCommand,
    ...(windows === undefined ? {} : { windows }),
    ...(unique ? { duplicates: tally.duplicates } : {}),
    ...(tally.filtered > 0 ? { filtered: tally.filtered } : {}),
    ...(tally.failedParents > 0 ? { failedParents: tally.failedParents } : {}),
  });
  if (tally.failedParents > 0) return ended("failed", failedParentsReason(tally));
  if (tally.failure !== undefined) return ended("failed", tally.failure);
  for (const kind of ["suspect", "limited"] as const) {
    const found = tally.verdicts.get(kind);
    if (found === undefined) continue;
    const first = found.run === undefined ? "the first" : `the first, ${found.run}`;
    const prefix = tally.runs > 1 ? `${found.count} of ${runsText(tally)}, ${first}: ` : onlyWindow(tally, found);
    return ended(kind, prefix + found.first.reason + unwritten);
  }
  // If many runs end by a rule, that may be a mistake, so their number is shown.
  if (tally.runs > 1 && tally.ruledRuns > 0) {
    return ended("complete", `${tally.ruledRuns} of ${runsText(tally)} ${tally.firstRuled}${unwritten}`);
  }
  const prefix = windows === undefined ? "" : `${runsText(tally)}${tally.runs > 1 ? ", the first" : ""}: `;
  const reason = tally.verdicts.get("complete")?.first.reason ?? "";
  return ended("complete", prefix + reason + unwritten);
}

function failedParentsReason({ failedParents, parents, firstFailure, failure }: Tally): string {
  const first = `${failedParents} of ${counted(parents, "parent")} failed: ${firstFailure}`;
  return failure === undefined ? first : `${first}; ${failure}`;
}

/** Returns the name of the only window of a job, as the beginning of a reason; "" if the job has no window. */
function onlyWindow({ windows }: Tally, { run }: CountedVerdict): string {
  return windows === undefined || run === undefined ? "" : `${run}: `;
}

/** Returns the warning that no run of a dataset has received records; undefined if a run has, or if one failed. */
export function emptyWarning(tally: Tally): string | undefined {
  const { emptyRun, hadRecords, runs, failure, failedParents } = tally;
  if (emptyRun === undefined || hadRecords || failure !== undefined || failedParents > 0) return undefined;
  return runs > 1 ? `none of ${runsText(tally)} has records: ${emptyRun}` : emptyRun;
}

function runsText({ runs, windows }: Tally): string {
  return windows === runs ? counted(runs, "window") : counted(runs, "run");
}
