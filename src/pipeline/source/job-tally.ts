import { type JobPlan, notWritten, withChildren } from "../../compile/plan.ts";
import { SpileError } from "../../core/errors.ts";
import type { PageSummary, Verdict } from "../../core/runs/page.ts";
import { type JobResult, notRun } from "../../core/runs/run.ts";
import type { Value } from "../../core/values/value.ts";
import { type JobRun, windowName } from "../job-run.ts";
import type { Counts } from "../page.ts";
import { addVerdict, type CountedVerdict, createTally, emptyWarning, resultOf, type Tally } from "./tally.ts";

/** The reason why the run of a window is doubted. */
export const repeatedWindow =
  "its first page is the same as in the window before it: the API seems to ignore the window";

/** A tally in the form of plain JSON. */
interface SavedTally extends Omit<Tally, "verdicts"> {
  readonly verdicts: readonly ({ readonly kind: Verdict["kind"] } & CountedVerdict)[];
}

/** The counts of one top-level job so far: a tally for each dataset of the job and its children. */
export class JobTally {
  readonly plan: JobPlan;
  readonly #datasets: Map<string, Tally>;
  /** Warnings that were reported. A job reports each once, and again after a resume. */
  readonly #warned = new Set<string>();
  /** For each job, the parents of the run that ended last, and whether a run for them has failed. */
  readonly #lastParents = new Map<JobPlan, { readonly parents: JobRun["parents"]; failed: boolean }>();

  /** `saved`: the result of `save` for an interrupted run; null if the job begins. */
  constructor(plan: JobPlan, saved: Value) {
    this.plan = plan;
    this.#datasets = new Map(withChildren(plan).map(({ dataType }) => [dataType, createTally(dataType)]));
    for (const { verdicts, ...counts } of (saved ?? []) as unknown as readonly SavedTally[]) {
      const counted = new Map(verdicts.map(({ kind, ...rest }) => [kind, rest]));
      this.#datasets.set(counts.dataType, { ...counts, verdicts: counted });
    }
  }

  count({ dataType }: JobPlan, { writtenRecords, duplicates, bytes, requests, retries }: Counts): void {
    const tally = this.#of(dataType);
    tally.records += writtenRecords;
    tally.duplicates += duplicates;
    tally.bytes += bytes;
    tally.requests += requests;
    tally.retries += retries;
  }

  /** Counts records that were left out because they are below the increment's start. */
  countFiltered({ dataType }: JobPlan, records: number): void {
    this.#of(dataType).filtered += records;
  }

  countPage({ dataType }: JobPlan): void {
    this.#of(dataType).pages += 1;
  }

  /**
   * Adds a number of logins. The client counts the logins of all jobs. So the caller subtracts the client's count when the job
   * begins, and adds it when the job ends.
   */
  countLogins(logins: number): void {
    this.#of(this.plan.dataType).logins += logins;
  }

  /**
   * Compares the first page of a run with that of the previous window. If they are equal and not empty, the API seems to ignore
   * windows.
   */
  compareWindows({ plan, start }: JobRun, { records, digest }: Pick<PageSummary, "records" | "digest">): void {
    if (start instanceof SpileError || start.window === undefined) return;
    const { index, endpoint } = start.window;
    const tally = this.#of(plan.dataType);
    const pageDigest = records > 0 ? digest : null;
    const digests = tally.firstPages?.of === plan.pointer && index + endpoint > 0 ? [...tally.firstPages.digests] : [];
    tally.isRepeated = plan.scroll.evidence && pageDigest !== null && digests[endpoint] === pageDigest;
    digests[endpoint] = pageDigest;
    tally.firstPages = { of: plan.pointer, digests };
  }

  /** Counts the end of a run of the job, or of one below it. Returns the kind of its verdict. */
  conclude(run: JobRun, verdict: Verdict): Verdict["kind"] {
    const { plan, start } = run;
    this.#countParents(run);
    const tally = this.#of(plan.dataType);
    const { name, window } = start instanceof SpileError ? {} : start;
    const isDoubted = tally.isRepeated && verdict.kind !== "suspect";
    const finalVerdict: Verdict = isDoubted ? { kind: "suspect", reason: repeatedWindow } : verdict;
    addVerdict(tally, finalVerdict, name);
    tally.isRepeated = false;
    if (window?.endpoint === 0) tally.windows = (tally.windows ?? 0) + 1;
    return finalVerdict.kind;
  }

  /** Records that the job, or one below it, is cut short or not begun. */
  cut({ dataType }: JobPlan, verdict: Verdict): void {
    addVerdict(this.#of(dataType), verdict);
  }

  /** Records that the job has failed because of one of its datasets. Its `pending` datasets are then not complete, either. */
  fail(run: JobRun, message: string, pending: Iterable<JobPlan>): void {
    const { dataType } = run.plan;
    const window = windowName(run);
    for (const other of pending) this.#of(other.dataType).failure ??= `stopped because ${dataType} failed`;
    this.#of(dataType).failure = window === undefined ? message : `${window}: ${message}`;
  }

  /**
   * Records that the run of a child job has failed for one parent record, while the others continue. The jobs below it then lack
   * the runs that would have followed. Returns the number of parents that have failed so far.
   */
  failParent(run: JobRun, message: string): number {
    const { plan } = run;
    const tally = this.#of(plan.dataType);
    const last = this.#countParents(run);
    if (!last.failed) tally.failedParents += 1;
    last.failed = true;
    tally.firstFailure ??= message;
    for (const { dataType } of withChildren(plan)) {
      if (dataType !== plan.dataType)
        this.#of(dataType).failure ??= `records are missing because ${plan.dataType} failed`;
    }
    return tally.failedParents;
  }

  /** Counts a parent once, even if it has several runs in a row. */
  #countParents({ plan, parents }: JobRun): { failed: boolean } {
    const last = this.#lastParents.get(plan);
    if (last !== undefined && last.parents === parents) return last;
    const next = { parents, failed: false };
    this.#lastParents.set(plan, next);
    if (parents.length > 0) this.#of(plan.dataType).parents += 1;
    return next;
  }

  /**
   * Records that the run was stopped. `unwritten` lines were still in the queue of the output, so they do not count as written.
   * Returns how many of them belong to another job.
   */
  abandon(ending: Ending, pending: Iterable<JobPlan>, unwritten: number): number {
    for (const dataType of new Set([this.plan, ...pending].map((plan) => plan.dataType))) {
      const tally = this.#of(dataType);
      if (ending.kind === "failed") tally.failure ??= ending.reason;
      else addVerdict(tally, ending);
    }
    let remaining = unwritten;
    for (const tally of [...this.#datasets.values()].reverse()) {
      const lostLines = Math.min(remaining, tally.records);
      tally.records -= lostLines;
      remaining -= lostLines;
    }
    return remaining;
  }

  /** True if everything so far was complete, including the jobs below. */
  get isComplete(): boolean {
    return [...this.#datasets.values()].every(({ failure, failedParents, verdicts }) => {
      return failure === undefined && failedParents === 0 && [...verdicts.keys()].every((kind) => kind === "complete");
    });
  }

  /**
   * Returns the warnings to report now. If a job has many runs (for parents, windows, endpoints), it is usual that some have no
   * records. The warning about that waits until all runs have ended.
   */
  dueWarnings(
    { plan, parents, start }: JobRun,
    { records, notice }: PageSummary,
    warnings: readonly string[],
  ): readonly string[] {
    const tally = this.#of(plan.dataType);
    tally.hadRecords ||= records > 0;
    const isInWindow = !(start instanceof SpileError) && start.window !== undefined;
    const isOneOfMany = parents.length > 0 || isInWindow || plan.endpoints.length > 1;
    if (!isOneOfMany || records > 0 || notice === undefined) return warnings;
    tally.emptyRun ??= notice;
    return warnings.filter((warning) => warning !== notice);
  }

  /** Returns a warning for each dataset of which no run has received records. */
  emptyWarnings(): readonly { readonly dataType: string; readonly message: string }[] {
    return [...this.#datasets.values()].flatMap((tally) => {
      const message = emptyWarning(tally);
      return message === undefined ? [] : [{ dataType: tally.dataType, message }];
    });
  }

  /** Returns whether the warning was not reported before, and records it. */
  isNews(warning: string): boolean {
    if (this.#warned.has(warning)) return false;
    this.#warned.add(warning);
    return true;
  }

  /** Returns a result for each dataset, the job's own first. */
  results(unique: boolean): readonly JobResult[] {
    const writtenTypes = new Set(
      withChildren(this.plan).flatMap(({ dataType, datasets }) => (datasets.length > 0 ? dataType : [])),
    );
    const doubts = new Map(
      withChildren(this.plan).flatMap(({ dataType, doubt }) =>
        doubt === undefined ? [] : [[dataType, doubt] as const],
      ),
    );
    const parents = new Map(withChildren(this.plan).flatMap(linksOf));
    return [...this.#datasets.values()].map((tally) => {
      const parent = parents.get(tally.dataType);
      const result = { ...resultOf(tally, unique), ...(parent === undefined ? {} : { parent }) };
      if (result.verdict === "failed") return result;
      const doubt = result.verdict === "suspect" ? undefined : doubts.get(tally.dataType);
      if (doubt !== undefined) return { ...result, verdict: "suspect", reason: doubt };
      if (!writtenTypes.has(tally.dataType)) return { ...result, reason: `${result.reason}; ${notWritten}` };
      if (tally.runs > 0 || result.verdict !== "complete") return result;
      const isOwn = this.plan.windows !== undefined && tally.dataType === this.plan.dataType;
      return { ...result, reason: isOwn ? "there is no window" : "it was not run for any parent record" };
    });
  }

  /** Returns plain JSON. `logins`: number of the job's logins so far. */
  save(logins: number): Value {
    const saved = [...this.#datasets.values()].map(
      ({ verdicts, ...counts }): SavedTally => ({
        ...counts,
        logins: counts.dataType === this.plan.dataType ? counts.logins + logins : counts.logins,
        verdicts: [...verdicts].map(([kind, counted]) => ({ kind, ...counted })),
      }),
    );
    return saved as unknown as Value;
  }

  #of(dataType: string): Tally {
    const tally = this.#datasets.get(dataType) ?? createTally(dataType);
    this.#datasets.set(dataType, tally);
    return tally;
  }
}

/** Returns the datasets of a job's children, each with the dataset of this job. */
function linksOf({ dataType, children }: JobPlan): [child: string, parent: string][] {
  return children.flatMap(({ plan }) => (plan.dataType === dataType ? [] : [[plan.dataType, dataType]]));
}

/** The end of a job that is stopped from outside. */
export type Ending = Verdict | { readonly kind: "failed"; readonly reason: string };

/** Returns the results of a job that does not begin because a limit of the command is reached, or the reader closed the pipe. */
export function unbegunResults(plan: JobPlan, reason: string): readonly JobResult[] {
  const tally = new JobTally(plan, null);
  for (const one of withChildren(plan)) tally.cut(one, { kind: "limited", reason, byCommand: true });
  return tally.results(false);
}

/** Returns the results of a job that does not begin because an earlier one has failed, or because the run is stopped. */
export function resultsAfterFailure(plan: JobPlan, reason: string): readonly JobResult[] {
  const tally = new JobTally(plan, null);
  tally.abandon({ kind: "failed", reason }, withChildren(plan), 0);
  return tally.results(false);
}

/** Returns the results of a job that does not begin because the run is stopped. */
export function stoppedResults(plan: JobPlan, { kind, reason }: Ending): readonly JobResult[] {
  return kind === "failed"
    ? resultsAfterFailure(plan, `${notRun}: ${reason}`)
    : unbegunResults(plan, `${notRun}: ${reason}`);
}
