import { Readable } from "node:stream";
import { type JobPlan, withChildren } from "../../compile/plan.ts";
import { asSpileError, type SpileError } from "../../core/errors.ts";
import type { Verdict } from "../../core/runs/page.ts";
import { type JobResult, notRun } from "../../core/runs/run.ts";
import type { StepAnswer } from "../../core/runs/step-answer.ts";
import type { Moved } from "../../core/runs/watermark.ts";
import type { Mark } from "../../output/sink.ts";
import type { Advance } from "../../pagination/scroll.ts";
import { beginningOf, type Checkpoint } from "../../resume/progress.ts";
import { type JobRun, type Slot, windowEnd } from "../job-run.ts";
import { createKeys, type Keys } from "../key-set.ts";
import { countRecords } from "../line-budget.ts";
import {
  type AnsweredOutcome,
  asUsual,
  type Counts,
  type FullOutcome,
  type Outcome,
  type Page,
  type ReadOutcome,
  type Remainder,
} from "../page.ts";
import { endAfterResume, endOfSteps } from "./after-resume.ts";
import { checkpointBefore } from "./checkpoint.ts";
import { EarlyMoves } from "./early-moves.ts";
import { emptyEvent, errorEvent, jobEndEvent, pageEvent, repeatNotice, warningEvent } from "./events.ts";
import { Frontier, noAdvance } from "./frontier.ts";
import { IncrementProgress, incrementMoves } from "./increment-progress.ts";
import { advanceAfter, childRunsOf, followingOf, requestOf, runsAfterSteps, topLevelRuns } from "./job-runs.ts";
import { type Ending, JobTally, resultsAfterFailure, stoppedResults, unbegunResults } from "./job-tally.ts";
import { concernsOneParent, maxListed } from "./one-parent.ts";
import type { JobSchedule, PageSourceOptions, ScheduledJob } from "./options.ts";
import { refusedPage } from "./refused-page.ts";

const byMaxRecords = "stopped by --max-records";
const noRemainder: Remainder = { lines: [], mark: undefined };
const none: JobSchedule = { next: () => undefined, leaveOut: () => 0 };

/** Emits pages to fetch, as many as `inFlight` allows, and continues when one of them ends. */
export class PageSource extends Readable {
  readonly #options: PageSourceOptions;
  readonly frontier: Frontier;
  /** Jobs of the current iteration that are still to run. */
  #waiting = none;
  /** True while the next iteration is being prepared. */
  #isBetween = false;
  /** The place after the last job that has begun. */
  #nextPlace = { iteration: 0, index: 0 };
  /** The job in progress. */
  #job: ScheduledJob | undefined;
  #tally: JobTally | undefined;
  #keys: Keys | undefined;
  #increment: IncrementProgress | undefined;
  readonly #moves: EarlyMoves;
  /** The last place from which the current job could be resumed. */
  #checkpoint: Checkpoint | undefined;
  /** True if a failure of the current job was reported. The run cannot be resumed from a later place in the job. */
  #hasFailed = false;
  /** The page that is being read, and its counts so far. */
  #reading: { readonly plan: JobPlan; counts(): Counts } | undefined;

  constructor(options: PageSourceOptions) {
    super({ objectMode: true, highWaterMark: options.maxPageCount });
    this.#options = options;
    this.frontier = new Frontier(options.inFlight);
    this.#moves = new EarlyMoves(options, (warning) => this.#tally?.isNews(warning) !== false);
  }

  override _read(): void {
    this.#advance();
  }

  #advance(): void {
    while (!this.destroyed && !this.readableEnded && !this.#isBetween) {
      for (let slot = this.frontier.take(); slot !== undefined; slot = this.frontier.take()) {
        this.push(this.#page(slot));
      }
      if (!this.frontier.idle) return;
      this.#finishJob();
      this.#job = this.#waiting.next();
      if (this.#job === undefined) void this.#beginIteration();
      else this.#begin(this.#job);
    }
  }

  async #beginIteration(): Promise<void> {
    this.#isBetween = true;
    try {
      const { done, value } = await this.#options.iterations.next();
      this.#isBetween = false;
      if (this.destroyed) return;
      if (done === true) {
        this.push(null);
        return;
      }
      this.#waiting = value;
      this.#advance();
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #begin({ plan, client, from, iteration, index }: ScheduledJob): void {
    const { unique } = this.#options;
    this.#options.begins(plan);
    this.#nextPlace = { iteration, index: index + 1 };
    this.#checkpoint = from ?? beginningOf(iteration, index);
    this.#tally = new JobTally(plan, this.#checkpoint.tally);
    this.#tally.countLogins(-client.logins());
    this.#increment = plan.increment && new IncrementProgress(plan.increment, this.#checkpoint.increment);
    this.#keys = unique && createKeys(unique);
    const beginning = { from, progress: this.#increment, isComplete: this.#tally.isComplete };
    this.frontier.push({ plan, runs: topLevelRuns(plan, this.#moves, beginning) });
  }

  #logins(): number {
    return this.#job?.client.logins() ?? 0;
  }

  #finishJob(): void {
    const tally = this.#tally;
    if (tally === undefined) return;
    tally.countLogins(this.#logins());
    this.#tally = undefined;
    this.#hasFailed = false;
    for (const warning of tally.emptyWarnings()) this.#options.emit(emptyEvent(warning));
    const results = tally.results(this.#options.unique !== undefined);
    this.#reportResults(results, incrementMoves(this.#increment, tally.plan, results, this.#options));
  }

  #reportResults(results: readonly JobResult[], moved: readonly Moved[] = []): void {
    const { emit, finished } = this.#options;
    for (const result of results) emit(jobEndEvent(result));
    finished(results, moved);
  }

  #page(slot: Slot): Page {
    const { run, number } = slot;
    return {
      run,
      client: (this.#job as ScheduledJob).client,
      number,
      request: requestOf(slot),
      signal: slot.abort,
      inTurn: () => this.frontier.head === slot,
      reads: (counts) => {
        this.#reading = { plan: run.plan, counts };
      },
      answered: (answer) => this.#answered(run, answer),
      end: (outcome) => this.#end(slot, outcome),
      keys: this.#keys,
      warn: (message) => this.#warn(message, slot),
    };
  }

  #end(slot: Slot, outcome: Outcome): Remainder {
    this.#reading = undefined;
    if (outcome.kind === "read") return this.#endRead(slot, outcome);
    if (outcome.kind === "full") return this.#endFull(slot, outcome);
    if (outcome.kind === "answered") return this.#endAnswered(slot, outcome);
    const lines = this.#write(slot, outcome);
    this.#fail(slot, outcome.error);
    this.#advance();
    return { ...noRemainder, lines };
  }

  #endRead(slot: Slot, outcome: ReadOutcome): Remainder {
    const { budget, emit, ended, createRestart, now } = this.#options;
    const step = advanceAfter(slot, outcome, now());
    const restart = endAfterResume(step.verdict, slot, createRestart);
    if (restart !== undefined) {
      this.destroy(restart);
      return noRemainder;
    }
    const { failure, repeated } = step;
    const waiting = repeated ? [] : outcome.waiting;
    // The records of a repeated page do not count as duplicates.
    const counts = repeated ? { ...outcome.counts, duplicates: 0 } : outcome.counts;
    const lines = this.#write(slot, { counts, waiting });
    const writtenRecords = outcome.counts.writtenRecords + countRecords(lines);
    this.#tally?.countPage(slot.run.plan);
    emit(pageEvent(slot.run, slot.number, outcome.summary, writtenRecords, step));
    const cut = countRecords(lines) < countRecords(waiting);
    if (cut || (failure !== undefined && budget.isUsedUp)) this.#stop();
    // The page itself is good, or repeats another one. The failure concerns the pages after it.
    else if (failure !== undefined) {
      for (const warning of step.warnings) this.#warn(warning, slot);
      this.#fail(slot, failure);
    } else {
      this.#proceed(slot, step, outcome, writtenRecords);
      if (budget.isUsedUp) this.#stop();
    }
    this.#advance();
    const goesOn = failure === undefined && !budget.isUsedUp;
    const endMark = ended?.(slot.run, outcome.watermark);
    return { lines, mark: goesOn ? (this.#mark() ?? endMark ?? this.#moves.mark()) : undefined };
  }

  #endFull(slot: Slot, outcome: FullOutcome): Remainder {
    const lines = this.#write(slot, outcome);
    this.#tally?.countPage(slot.run.plan);
    this.#stop();
    this.#advance();
    return { ...noRemainder, lines };
  }

  /** Keeps the answer to a step. The step is not sent again while the answer is valid. */
  #answered(run: JobRun, answer: StepAnswer): Mark | undefined {
    const before = run.answered ?? { answers: [], part: 0, tally: this.#tally?.save(this.#logins()) ?? null };
    run.answered = { ...before, answers: [...before.answers, answer] };
    return answer.goodUntil > answer.at ? this.#mark() : undefined;
  }

  /** Continues with the runs that follow from the answers to the steps, or ends the run. */
  #endAnswered(slot: Slot, { counts, ended }: AnsweredOutcome): Remainder {
    const { run } = slot;
    this.#tally?.count(run.plan, counts);
    try {
      const following = ended === undefined ? followingOf(run) : undefined;
      const runs = following && { plan: run.plan, runs: runsAfterSteps(run, following, this.#moves) };
      this.frontier.settle(slot, noAdvance, runs === undefined ? [] : [runs]);
      if ((following?.count ?? 0) === 0) this.#conclude(run, endOfSteps(run, ended));
      else for (const partition of run.partitions) partition.release();
    } catch (error) {
      this.#fail(slot, asSpileError(error));
    }
    this.#advance();
    return noRemainder;
  }

  /** Returns the waiting lines of a page that may be written, and adds the page's counts to the tally. */
  #write({ run }: Slot, { counts, waiting }: Pick<FullOutcome, "counts" | "waiting">): Remainder["lines"] {
    const lines = this.#options.budget.cut(waiting);
    this.#tally?.count(run.plan, { ...counts, writtenRecords: counts.writtenRecords + countRecords(lines) });
    return lines;
  }

  /** Returns the mark of the place after the page that has just ended; undefined if the run cannot be resumed there. */
  #mark(): Mark | undefined {
    const { mark } = this.#options;
    const { first } = this.frontier;
    if (mark === undefined || this.destroyed || this.#hasFailed || (first !== undefined && first.parents.length > 0))
      return undefined;
    const { iteration, index } = this.#job ?? this.#nextPlace;
    const checkpoint = checkpointBefore(first, { iteration, index }, () => ({
      tally: this.#tally?.save(this.#logins()) ?? null,
      increment: this.#increment?.save() ?? null,
    }));
    const checkpointMark = mark(checkpoint);
    if (checkpointMark === undefined) return undefined;
    this.#checkpoint = checkpoint;
    this.#moves.markMade();
    return checkpointMark;
  }

  /** Continues with the children of the page's records, then with the next page; or ends the run. */
  #proceed(slot: Slot, step: Advance, { parents, summary, watermark }: ReadOutcome, writtenRecords: number): void {
    const { run } = slot;
    const increment = run.partition?.progress ?? (run.parents.length === 0 ? this.#increment : undefined);
    if (!step.repeated) increment?.add(watermark, summary, { number: slot.number, end: windowEnd(run) });
    if (!step.repeated) this.#tally?.countFiltered(run.plan, watermark.filtered);
    const warnings = this.#tally?.dueWarnings(run, summary, step.warnings) ?? step.warnings;
    for (const warning of [...warnings, ...repeatNotice(step, writtenRecords)]) this.#warn(warning, slot);
    const children = run.plan.children.map(({ plan }, index) => {
      return { plan, runs: childRunsOf(plan, parents[index] ?? [], run, this.#moves) };
    });
    if (slot.number === 1) this.#tally?.compareWindows(run, summary);
    this.frontier.settle(slot, step, step.repeated ? [] : children);
    if (step.verdict !== undefined) this.#conclude(run, increment?.judge(step.verdict) ?? step.verdict);
  }

  #conclude(run: JobRun, verdict: Verdict): void {
    const isComplete = this.#tally?.conclude(run, verdict) === "complete" && run.plan.doubt === undefined;
    for (const partition of run.partitions) partition.release(isComplete);
  }

  #warn(message: string, { run, number }: { readonly run: JobRun; readonly number: number }): void {
    // A job gives each warning once. Two warnings that differ only in the suffix `asUsual` count as one.
    if (this.#tally?.isNews(`${run.plan.label}\n${message.replace(asUsual, "")}`) === false) return;
    this.#options.emit(warningEvent(run, message, number));
  }

  /** Stops because no more lines may be written. A job with nothing left to request is not cut short. */
  #stop(): void {
    if (!this.frontier.idle) {
      const cut = new Set([...this.frontier.pending].flatMap(withChildren));
      this.frontier.clear();
      for (const plan of cut) this.#tally?.cut(plan, { kind: "limited", reason: byMaxRecords, byCommand: true });
    }
    this.#leaveOut((plan) => unbegunResults(plan, `${notRun}: ${byMaxRecords}`));
  }

  /** Leaves out the jobs of the iteration that have not begun. */
  #leaveOut(resultsOf: (plan: JobPlan) => readonly JobResult[]): void {
    const waiting = this.#waiting;
    this.#waiting = none;
    const others = waiting.leaveOut(resultsOf, (results) => {
      this.#finishJob();
      this.#reportResults(results);
    });
    this.#options.unlisted(others);
  }

  #fail(slot: Slot, error: SpileError): void {
    const { run, number } = slot;
    const { emit, keepGoing, createRestart } = this.#options;
    error.job ??= run.plan.label;
    const restart = refusedPage(error, slot, createRestart);
    if (restart !== undefined) return void this.destroy(restart);
    if (!("steps" in run.start)) error.page ??= number;
    if (keepGoing && concernsOneParent(run, error)) {
      this.frontier.drop(slot);
      const failures = this.#tally?.failParent(run, error.message) ?? 0;
      if (failures <= maxListed) emit(errorEvent(run, error));
      if (failures === maxListed) this.#warn("further parents that fail are counted, and not listed", slot);
      return void this.#failed(error);
    }
    const pending = [...this.frontier.pending].flatMap(withChildren);
    this.frontier.clear();
    this.#tally?.fail(run, error.message, pending);
    emit(errorEvent(run, error));
    this.#failed(error);
    const reason = `${notRun}: ${run.plan.dataType} has failed`;
    if (!keepGoing) this.#leaveOut((plan) => resultsAfterFailure(plan, reason));
  }

  /** Reports the place from which the job can be resumed. Only the first failure counts: a later place would skip its records. */
  #failed(error: SpileError): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const { iteration, index } = this.#job ?? this.#nextPlace;
    this.#options.failed(error, this.#checkpoint ?? beginningOf(iteration, index));
  }

  /** Stops the job, and leaves out the other jobs. Returns how many of the `unwritten` lines belong to earlier jobs. */
  abandon(ending: Ending, unwritten: number): number {
    const pending = [...this.frontier.pending].flatMap(withChildren);
    if (this.#reading !== undefined) this.#tally?.count(this.#reading.plan, this.#reading.counts());
    const remaining = this.#tally?.abandon(ending, pending, unwritten) ?? unwritten;
    this.#finishJob();
    this.#leaveOut((plan) => stoppedResults(plan, ending));
    return remaining;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.frontier.abort();
    callback(error);
  }
}
