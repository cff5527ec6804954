import { maskedValue } from "../core/runs/conceal.ts";
import type { JobResult } from "../core/runs/run.ts";
import type { StepAnswer } from "../core/runs/step-answer.ts";
import type { MovedList } from "../core/runs/watermark.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { type Value, valueText } from "../core/values/value.ts";
import type { FileLengths, Mark, Sink } from "../output/sink.ts";
import { isAfterSteps, reasonNotKept } from "./answered-steps.ts";
import type { LogEntry, ProgressPlace } from "./log-entry.ts";
import { MovedWatermarks } from "./moved-watermarks.ts";
import { beginningOf, type Checkpoint, isBeginning, isSameJob, type Progress, type Standing } from "./progress.ts";
import type { State } from "./state-file.ts";
import type { StatePlace } from "./state-place.ts";
import { overWatermarks, withWatermarks } from "./watermarks.ts";

/** The part of a run's progress that does not change. */
export type Beginning = Omit<
  Progress,
  "clock" | "checkpoint" | "failed" | "lengths" | "anew" | "begun" | "results" | "watermarks"
>;

/** Results and increments of ended jobs. Both lists only grow. */
export interface Settled {
  readonly results: readonly JobResult[];
  /** Increments that have moved. The last of equal keys counts. */
  readonly moved: MovedList;
}

export interface ProgressWriterOptions {
  readonly place: StatePlace;
  /** The state at the beginning of the run. */
  readonly before: State;
  readonly beginning: Beginning;
  /** The place where the run begins. */
  readonly from: ProgressPlace;
  readonly sink: Sink;
  /**
   * Lengths of the files when the run began or was resumed. If it was resumed after the steps of a job were answered: the lengths
   * before the first run of the job with these answers.
   */
  readonly anew: FileLengths;
  /** For a resumed run: the job in progress, and the lengths of the files at its beginning. */
  readonly jobBeginning?: JobBeginning | undefined;
  /** True if lines are written to files, which can be shortened: the state must never be ahead of the disk. */
  readonly files: boolean;
  /** True to write every checkpoint when it is reached, and not only as often as the disk allows. */
  readonly eager: boolean;
  /** True with `--unique`. Only checkpoints between jobs are then kept: a later process does not know the keys that a job has written. */
  readonly unique: boolean;
  readonly secrets: Secrets;
  /** Returns the milliseconds of the paging's clock. */
  now(): number;
  warn(message: string): void;
}

/** A job, and the lengths of the files at its beginning. */
export interface JobBeginning {
  readonly place: Pick<Checkpoint, "iteration" | "job">;
  readonly lengths: FileLengths;
}

/** Maximum share of the time that saves may take. A save after a pause of `longestPause` ms is always allowed. */
const maxShare = 0.05;
const longestPause = 1000;

/** A checkpoint that was reached: all lines before it were written. */
interface ReachedCheckpoint {
  /** Undefined if no checkpoint was reached since the last save, and only increments have moved. */
  progress: ProgressPlace | undefined;
  readonly settled: Settled;
  /** Numbers of settled results and moves that belong to the checkpoint. */
  readonly results: number;
  readonly moved: number;
  /** Number of lines before the checkpoint. */
  readonly records: number;
  /** True if the checkpoint was reported to the reader of the lines, so that a run may resume from it. */
  isReported?: boolean;
}

/** Keeps the progress of a run in its state. */
export class ProgressWriter {
  readonly #options: ProgressWriterOptions;
  /** Lengths to which a resumed run cuts the files if it repeats the steps of a job and everything after them. */
  #anew: FileLengths;
  #jobBeginning: JobBeginning | undefined;
  /** The last checkpoint that was reached; undefined if it is on the disk. */
  #latest: ReachedCheckpoint | undefined;
  /** The progress that the state contains, including the entries of its log. */
  #progress: ProgressPlace | undefined;
  #results: Value[] = [];
  readonly #movedWatermarks = new MovedWatermarks();
  /** The list from which `#results` was made by masking. */
  #resultsOf: readonly JobResult[] = [];
  /** Number of moves that the state contains. */
  #moved = 0;
  /** True if the state file contains progress. */
  #hasProgress: boolean;
  #due = 0;
  /** Number of bytes of lines before the last reported state. */
  #bytesAtReport: number | undefined;
  #later: NodeJS.Timeout | undefined;
  readonly #warned = new Set<string>();
  /** The latest save. It may not have ended when the run is stopped and its progress is kept. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ProgressWriterOptions) {
    this.#options = options;
    this.#anew = options.anew;
    this.#jobBeginning = options.jobBeginning;
    this.#hasProgress = options.before.progress !== undefined || options.place.isReported;
  }

  /** Returns the mark to send after the lines before a checkpoint; undefined if the checkpoint is not stored. */
  mark(standing: Standing, settled: Settled): Mark | undefined {
    const { files, unique } = this.#options;
    const { checkpoint, failed } = standing;
    // No checkpoint after a failure: a resumed run cuts the files to where the first job failed, and writes all later lines again.
    if (files && failed.length > 0) return undefined;
    if (unique && ![checkpoint, ...failed].every(isBeginning)) return undefined;
    if (this.#holdsSecret(valueText(checkpoint.position), "the position of the next page")) return undefined;
    if (checkpoint.steps?.answers.some((answer) => !this.#keeps(answer)) === true) return undefined;
    return this.#markOf(standing, settled, false);
  }

  /**
   * Returns the mark to send between two checkpoints, after lines with which increments of partitions have moved. Undefined for
   * files: a resumed run cuts them back to a checkpoint, so the increments wait for the next checkpoint.
   */
  moves(settled: Settled): Mark | undefined {
    const { files, sink, place, eager } = this.#options;
    if (files) return undefined;
    const moved = settled.moved.length;
    return {
      reached: () =>
        this.#inTurn(async () => {
          const waiting = this.#isReported ? undefined : this.#latest;
          const results = waiting?.results ?? this.#results.length;
          this.#latest = { progress: waiting?.progress, settled, results, moved, records: sink.records() };
          const maxBytes = this.#bytesSinceReport;
          if (maxBytes !== undefined && maxBytes < place.weight) return;
          const durable = performance.now() >= this.#due;
          if (durable || eager) await this.#save(durable, maxBytes);
          else if (place.isReported) this.#saveLater();
        }),
    };
  }

  /** Returns the mark to send after the last line. After that, only the files still have to get their names. */
  finish(iterations: number, settled: Settled): Mark {
    return this.#markOf({ checkpoint: beginningOf(iterations, 0), failed: [] }, settled, true);
  }

  /**
   * Ends a failed run: writes the last checkpoint to the disk, with the `settled` moves of jobs whose lines were all written. Returns
   * whether there is progress from which to resume.
   */
  async keep(settled?: MovedList): Promise<boolean> {
    const { place, before } = this.#options;
    // Many targets forget a state when further records follow, so the last line is always a state.
    if (!this.#isReported || this.#hasMore) await this.#inTurn(() => this.#save(true)).catch(() => undefined);
    const remainingMoves = settled?.slice(this.#moved) ?? [];
    if (this.#progress === undefined && remainingMoves.length === 0) return this.#hasProgress;
    // The whole state is written, not an entry of the log: no log outlives its run.
    await this.#inTurn(async () => {
      if (place.isReported && remainingMoves.length === 0) return;
      this.#take({ results: [], moved: remainingMoves });
      const state = this.#progress === undefined ? withWatermarks(before, remainingMoves) : this.#state();
      await place.write(state);
      this.#hasProgress = state.progress !== undefined;
    }).catch(() => undefined);
    return this.#hasProgress;
  }

  /** Resolves when no save is in progress. */
  async idle(): Promise<void> {
    await this.#last;
  }

  /**
   * Ends a run: removes its progress, and stores moved increments and `previousStart` (Unix seconds; undefined for no change).
   */
  end(previousStart: number | undefined, moved?: MovedList): Promise<void> {
    const { place, before } = this.#options;
    clearTimeout(this.#later);
    return this.#inTurn(async () => {
      const count = moved?.length ?? 0;
      if (previousStart === undefined && !this.#hasProgress && count === 0) return;
      this.#take({ results: [], moved: moved?.slice(this.#moved) ?? [] });
      const state = count === 0 ? before : overWatermarks(before, this.#movedWatermarks);
      await place.write({ ...state, previousStart: previousStart ?? before.previousStart, progress: undefined });
    });
  }

  #markOf({ checkpoint, failed }: Standing, settled: Settled, isLast: boolean): Mark {
    const { place, secrets, sink, eager, now } = this.#options;
    const clock = now();
    const counts = { results: settled.results.length, moved: settled.moved.length };
    return {
      reached: (lengths) =>
        this.#inTurn(async () => {
          if (!isAfterSteps(checkpoint)) this.#anew = lengths;
          const standing = maskedTallies({ checkpoint, failed }, secrets);
          const anew = isAfterSteps(checkpoint) ? { anew: this.#anew } : {};
          const progress = { clock, ...standing, lengths, ...anew, ...this.#begunOf(checkpoint, lengths) };
          this.#latest = { progress, settled, ...counts, records: sink.records() };
          // A lost answer would be requested again, which would start a second export.
          const isAnswer = checkpoint.steps !== undefined && !isAfterSteps(checkpoint);
          // An increment must not be ahead of the lines, even after a loss of power.
          const hasNewMoves = eager && counts.moved > this.#moved;
          const maxBytes = isAnswer ? undefined : this.#bytesSinceReport;
          if (maxBytes !== undefined && maxBytes < place.weight) return;
          const durable = isLast || isAnswer || hasNewMoves || performance.now() >= this.#due;
          if (durable || eager) await this.#save(durable, maxBytes);
          else if (place.isReported) this.#saveLater();
        }),
    };
  }

  /** Returns the lengths of the files at the beginning of a checkpoint's job, if they are known and the job may have lines. */
  #begunOf(checkpoint: Checkpoint, lengths: FileLengths): Pick<Progress, "begun"> {
    if (isBeginning(checkpoint)) this.#jobBeginning = { place: checkpoint, lengths };
    const { place, lengths: begun } = this.#jobBeginning ?? {};
    const isKept =
      this.#options.files && place !== undefined && isSameJob(place, checkpoint) && !isBeginning(checkpoint);
    return isKept && begun !== undefined ? { begun } : {};
  }

  /** Saves when the next save is due. The next mark would save, too, but may come much later. */
  #saveLater(): void {
    clearTimeout(this.#later);
    const saveUnlessReported = async (): Promise<void> => {
      if (!this.#isReported && !this.#hasMore) await this.#save(true, this.#bytesSinceReport);
    };
    // If the state cannot be written, neither can the lines.
    const save = (): void => void this.#inTurn(saveUnlessReported).catch(() => undefined);
    this.#later = setTimeout(save, this.#due - performance.now()).unref();
  }

  /**
   * Number of bytes of lines after the last reported state; undefined before the first one. A later state is reported only if it
   * is no longer than these lines, so that the states together do not become longer than the lines.
   */
  get #bytesSinceReport(): number | undefined {
    const { place, sink } = this.#options;
    return place.isReported && this.#bytesAtReport !== undefined
      ? (sink.bytes?.() ?? 0) - this.#bytesAtReport
      : undefined;
  }

  get #isReported(): boolean {
    return this.#latest?.isReported === true;
  }

  /** True if lines were written since the last checkpoint was reached. */
  get #hasMore(): boolean {
    return this.#latest?.records !== this.#options.sink.records();
  }

  /**
   * Adds everything since the last save to the state, or writes the whole state if its place requires that. A state for a reader
   * of the lines is written only if it has at most `maxBytes` bytes.
   */
  async #save(durable: boolean, maxBytes?: number): Promise<void> {
    const { place, sink, files, beginning } = this.#options;
    const latest = this.#latest;
    if (latest === undefined) return;
    const startTime = performance.now();
    const { progress } = latest;
    const moved = latest.settled.moved.slice(this.#moved, latest.moved);
    const results = this.#newResults(latest);
    const entry: LogEntry = { ...(progress === undefined ? {} : { progress }), results, moved, held: files };
    const text = valueText(entry as unknown as Value);
    const whole = this.#progress === undefined ? valueText(beginning) + text : text;
    if (this.#holdsSecret(whole, "the progress of the run")) return;
    if (durable && !place.isReported) await sink.sync();
    const isOtherList = this.#progress !== undefined && latest.settled.results !== this.#resultsOf;
    this.#progress = progress ?? this.#progress ?? this.#options.from;
    this.#resultsOf = latest.settled.results;
    this.#take(entry);
    latest.settled.moved.release?.(this.#moved);
    const isAdded = !isOtherList && (await place.append(text, { durable }));
    if (!isAdded && !(await place.write(this.#state(), maxBytes === undefined ? {} : { maxBytes }))) return;
    this.#hasProgress = true;
    if (!durable) {
      latest.progress = undefined;
      return;
    }
    this.#bytesAtReport = sink.bytes?.() ?? 0;
    if (place.isReported) latest.isReported = true;
    else this.#latest = undefined;
    const now = performance.now();
    this.#due = now + Math.min(longestPause, (now - startTime) / maxShare);
  }

  /** Returns the masked results that the state lacks: all of them if the list is not that of the last save. */
  #newResults({ settled, results }: ReachedCheckpoint): readonly Value[] {
    if (settled.results !== this.#resultsOf) this.#results = [];
    return settled.results
      .slice(this.#results.length, results)
      .map((result) => maskedValue(result, this.#options.secrets));
  }

  #take({ results, moved }: Pick<LogEntry, "results" | "moved">): void {
    this.#results.push(...results);
    this.#movedWatermarks.take(moved);
    this.#moved += moved.length;
  }

  /** Returns the whole state. Its increments do not move while lines in files may still be dropped. */
  #state(): State {
    const { before, beginning, files } = this.#options;
    const watermarks = this.#movedWatermarks.during({}, { isHeld: files });
    const progress = this.#progress && { ...beginning, ...this.#progress, results: this.#results, watermarks };
    return { ...(files ? before : overWatermarks(before, this.#movedWatermarks)), progress };
  }

  #holdsSecret(text: string, what: string): boolean {
    const { secrets, warn } = this.#options;
    if (!secrets.holds(text)) return false;
    const message = `${what} holds a secret, which the state does not store: --resume would continue from an earlier place`;
    if (!this.#warned.has(message)) warn(message);
    this.#warned.add(message);
    return true;
  }

  #keeps(answer: StepAnswer): boolean {
    const { secrets, warn } = this.#options;
    const reason = reasonNotKept(answer, secrets);
    if (reason !== "secret") return reason === undefined;
    const text = `the answer to step ${JSON.stringify(answer.step)} holds a secret, which the state does not store: --resume would repeat the step`;
    if (!this.#warned.has(text)) warn(text);
    this.#warned.add(text);
    return false;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

function maskedTallies({ checkpoint, failed }: Standing, secrets: Secrets): Standing {
  const masked = (one: Standing["checkpoint"]): Standing["checkpoint"] => {
    return { ...one, tally: maskedValue(one.tally, secrets) };
  };
  return { checkpoint: masked(checkpoint), failed: failed.map(masked) };
}
