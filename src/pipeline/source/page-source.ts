import { Readable } from "node:stream";
import type { JobPlan } from "../../compile/plan.ts";
import type { Unique } from "../../compile/unique.ts";
import { asSpileError, type SpileError } from "../../core/errors.ts";
import type { Emit } from "../../core/event.ts";
import type { PageSummary, Verdict } from "../../core/page.ts";
import type { JobResult } from "../../core/run.ts";
import type { Mark } from "../../output/sink.ts";
import type { Step } from "../../pagination/scroll.ts";
import type { Checkpoint } from "../../resume/progress.ts";
import type { JobRun, Slot } from "../job-run.ts";
import { createKeys, type Keys } from "../key-set.ts";
import { countRecords, type LineBudget } from "../line-budget.ts";
import type { Counts, FullOutcome, Outcome, Page, ReadOutcome, Remainder } from "../page.ts";
import { jobEndEvent, pageEvent, repeatNotice } from "./events.ts";
import { Frontier, nextPosition } from "./frontier.ts";
import { childRunsOf, requestOf, runsOf } from "./job-runs.ts";
import { restoreTally, saveTally } from "./saved-tally.ts";
import { addVerdict, jobResult, type Tally } from "./tally.ts";

export interface PageSourceOptions {
  readonly jobs: readonly JobPlan[];
  /** Pages in flight side by side. */
  readonly concurrency: number;
  /** Go on with the next job when one fails. */
  readonly keepGoing: boolean;
  readonly budget: LineBudget;
  /** Drop records whose key was written before. */
  readonly unique?: Unique | undefined;
  readonly emit: Emit;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Logins so far. */
  logins(): number;
  /** Called once a job, in order. */
  finished(result: JobResult): void;
  /** Called for a job that failed, before `finished`. Without `keepGoing` no further job is run. */
  failed(error: SpileError): void;
  /** Which of the runs that `iterations` make, from 0. */
  readonly iteration: number;
  /** Where an earlier run was interrupted in this iteration. */
  readonly from?: Checkpoint | undefined;
  /** Told of every place from which the run could be taken up; answers what is to travel behind the lines before it. */
  readonly mark: ((checkpoint: Checkpoint) => Mark | undefined) | undefined;
}

const nothing: Remainder = { lines: [], mark: undefined };

/** Emits pages to ask for, at most `concurrency` that are not settled; goes on as each is ended. */
export class PageSource extends Readable {
  readonly #options: PageSourceOptions;
  readonly #frontier: Frontier;
  readonly #jobs: Iterator<JobPlan>;
  /** Of the job under way. */
  #index: number;
  /** Until the job under way has begun. */
  #from: Checkpoint | undefined;
  #tally: Tally | undefined;
  #keys: Keys | undefined;

  constructor(options: PageSourceOptions) {
    super({ objectMode: true, highWaterMark: options.concurrency });
    this.#options = options;
    this.#frontier = new Frontier(options.concurrency);
    this.#from = options.from;
    this.#index = (options.from?.job ?? 0) - 1;
    this.#jobs = options.jobs.slice(options.from?.job)[Symbol.iterator]();
  }

  override _read(): void {
    this.#advance();
  }

  #advance(): void {
    while (!this.destroyed && !this.readableEnded) {
      for (let slot = this.#frontier.take(); slot !== undefined; slot = this.#frontier.take()) {
        this.push(this.#page(slot));
      }
      if (!this.#frontier.idle) return;
      this.#finishJob();
      const next = this.#jobs.next();
      this.#index += 1;
      if (next.done === true) {
        this.push(null);
        return;
      }
      this.#begin(next.value);
    }
  }

  /** The first job may go on where an earlier run was interrupted. */
  #begin(plan: JobPlan): void {
    const { logins, unique } = this.#options;
    const tally = restoreTally(plan, this.#from?.tally ?? null);
    this.#tally = { ...tally, logins: logins() - tally.logins };
    this.#keys = unique && createKeys(unique);
    this.#frontier.push(runsOf(plan, { parents: [], inherited: [] }, this.#options.now, this.#from));
    this.#from = undefined;
  }

  #finishJob(): void {
    if (this.#tally === undefined) return;
    const { emit, finished, logins } = this.#options;
    this.#tally.logins = logins() - this.#tally.logins;
    const result = jobResult(this.#tally, this.#keys !== undefined);
    this.#tally = undefined;
    emit(jobEndEvent(result));
    finished(result);
  }

  #page(slot: Slot): Page {
    const { run, number } = slot;
    return {
      run,
      number,
      request: requestOf(slot),
      signal: slot.abort.signal,
      inTurn: () => this.#frontier.head === slot,
      end: (outcome) => this.#end(slot, outcome),
      keys: this.#keys,
      warn: (message) => this.#warn(message, slot),
    };
  }

  #end(slot: Slot, outcome: Outcome): Remainder {
    if (outcome.kind === "read") return this.#endRead(slot, outcome);
    if (outcome.kind === "full") return this.#endFull(slot, outcome);
    this.#count(outcome.counts);
    this.#fail(slot, outcome.error);
    this.#advance();
    return nothing;
  }

  #endRead(slot: Slot, outcome: ReadOutcome): Remainder {
    const { budget } = this.#options;
    const step = this.#step(slot, outcome);
    const { failure, repeated } = step;
    const waiting = repeated ? [] : outcome.waiting;
    const lines = budget.cut(waiting);
    const written = outcome.counts.written + countRecords(lines);
    this.#count({ ...outcome.counts, written });
    this.#tell(slot, outcome.summary, written, step);
    const cut = countRecords(lines) < countRecords(waiting);
    if (cut || (failure !== undefined && budget.isUsedUp)) this.#stop(slot.run);
    // The page itself is good, or came before; what follows it is not.
    else if (failure !== undefined) this.#fail(slot, failure);
    else {
      this.#proceed(slot, step, outcome, written);
      if (budget.isUsedUp) this.#stop(slot.run);
    }
    this.#advance();
    const goesOn = failure === undefined && !budget.isUsedUp;
    return { lines, mark: goesOn ? this.#mark() : undefined };
  }

  #endFull(slot: Slot, { counts, waiting }: FullOutcome): Remainder {
    const lines = this.#options.budget.cut(waiting);
    this.#count({ ...counts, written: counts.written + countRecords(lines) });
    if (this.#tally !== undefined) this.#tally.pages += 1;
    this.#stop(slot.run);
    this.#advance();
    return { lines, mark: undefined };
  }

  /** The place between the page just settled and what follows, unless children of the page are to come first. */
  #mark(): Mark | undefined {
    const { mark, logins, iteration } = this.#options;
    const { first } = this.#frontier;
    if (mark === undefined || this.destroyed || (first !== undefined && first.parents.length > 0)) return undefined;
    const begun = first !== undefined && first.settled > 0;
    return mark({
      iteration,
      job: this.#index,
      position: begun ? (nextPosition(first) ?? null) : null,
      pages: begun ? first.settled : 0,
      tally: begun && this.#tally ? saveTally(this.#tally, logins() - this.#tally.logins) : null,
    });
  }

  #step({ run, position }: Slot, { summary }: ReadOutcome): Step {
    try {
      return run.plan.scroll.advance(position, summary, this.#options.now());
    } catch (error) {
      return { next: undefined, verdict: undefined, repeated: false, warnings: [], failure: asSpileError(error) };
    }
  }

  /** The frontier moves on: children of the page's records, then the next page; or the run is over. */
  #proceed(slot: Slot, step: Step, { parents }: ReadOutcome, written: number): void {
    const { run } = slot;
    const { children } = run.plan;
    for (const warning of [...step.warnings, ...repeatNotice(step, written)]) this.#warn(warning, slot);
    const batches = step.repeated
      ? []
      : children.map((child, i) => childRunsOf(child.plan, parents[i] ?? [], run, this.#options.now));
    this.#frontier.settle(slot, step, batches);
    if (step.next === undefined && step.verdict !== undefined) this.#conclude(run.plan, step.verdict);
  }

  #tell({ run, number }: Slot, summary: PageSummary, lines: number, step: Step): void {
    if (this.#tally !== undefined) {
      this.#tally.pages += 1;
      this.#tally.bytes += summary.bytes;
    }
    this.#options.emit({
      ...pageEvent(run, number, summary, lines),
      reached: step.reached,
      expected: step.expected ?? step.verdict?.expected,
    });
  }

  #count({ written, duplicates, requests, retries }: Counts): void {
    if (this.#tally === undefined) return;
    this.#tally.duplicates += duplicates;
    this.#tally.records += written;
    this.#tally.requests += requests;
    this.#tally.retries += retries;
  }

  #conclude(plan: JobPlan, verdict: Verdict): void {
    if (this.#tally !== undefined) addVerdict(this.#tally, plan, verdict);
  }

  #warn(message: string, { run, number }: { readonly run: JobRun; readonly number: number }): void {
    const key = `${run.plan.label}\n${message}`;
    if (this.#tally?.warned.has(key) === true) return;
    this.#tally?.warned.add(key);
    const { label, dataType } = run.plan;
    this.#options.emit({ event: "warning", level: "warning", message, job: label, dataType, page: number });
  }

  /** No more lines may be written. A job that had nothing left to ask for is not cut short. */
  #stop(run: JobRun): void {
    if (!this.#frontier.idle) {
      this.#frontier.clear();
      this.#conclude(run.plan, { kind: "limited", reason: "stopped by --max-records", byCommand: true });
    }
    this.#endJobs();
  }

  #fail({ run, number }: Slot, error: SpileError): void {
    error.job ??= run.plan.label;
    error.page ??= number;
    this.#frontier.clear();
    if (this.#tally !== undefined) this.#tally.failure = error.message;
    const { emit, failed, keepGoing } = this.#options;
    const { message, exitCode, job, page } = error;
    emit({ event: "error", level: "error", message, job, dataType: run.plan.dataType, page, exitCode });
    failed(error);
    if (!keepGoing) this.#endJobs();
  }

  /** The run is stopped from outside: the job under way has failed for this reason. */
  abandon(reason: string): void {
    if (this.#tally !== undefined) this.#tally.failure ??= reason;
    this.#finishJob();
  }

  #endJobs(): void {
    while (this.#jobs.next().done !== true);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#frontier.clear();
    callback(error);
  }
}
