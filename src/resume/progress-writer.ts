import { maskedValue } from "../core/conceal.ts";
import type { Secrets } from "../core/redact.ts";
import type { JobResult } from "../core/run.ts";
import type { StepAnswer } from "../core/step-answer.ts";
import { type Value, valueText } from "../core/value.ts";
import type { Watermarks } from "../core/watermark.ts";
import type { FileLengths, Mark, Sink } from "../output/sink.ts";
import { isBehindSteps, unkept } from "./answered-steps.ts";
import { beginningOf, isBeginning, type Progress, type Standing } from "./progress.ts";
import type { State } from "./state-file.ts";
import type { StatePlace } from "./state-place.ts";
import { withWatermarks } from "./watermarks.ts";

/** The part of a run's progress that does not change. */
export type Beginning = Omit<
  Progress,
  "clock" | "checkpoint" | "failed" | "lengths" | "anew" | "results" | "watermarks"
>;

/** What jobs that have ended leave: their results, which may grow, and how far their increments have come, which is replaced. */
export interface Settled {
  readonly results: readonly JobResult[];
  readonly watermarks: Watermarks;
}

export interface ProgressWriterOptions {
  readonly place: StatePlace;
  /** What it holds when the run begins. */
  readonly before: State;
  readonly begun: Beginning;
  readonly sink: Sink;
  /** The lengths of the files where the run begins, or would begin anew what the answers to steps have led to. */
  readonly anew: FileLengths;
  /** Are lines written to files, which can be cut back? Then the state is never ahead of what is on the disk. */
  readonly files: boolean;
  /** Is every checkpoint written as it is reached, and not only as often as the disk allows? */
  readonly eager: boolean;
  /** With `--unique` only checkpoints between jobs are kept: which keys a job has written its process alone knows. */
  readonly unique: boolean;
  readonly secrets: Secrets;
  /** Milliseconds of the paging's clock. */
  now(): number;
  warn(message: string): void;
}

/** The state waits for the disk for this share of the time, unless that is more than a second between two saves. */
const share = 0.05;
const longestPause = 1000;

/** Keeps the progress of a run in its state. */
export class ProgressWriter {
  readonly #options: ProgressWriterOptions;
  /** The lengths where what the answers to steps lead to would begin anew. */
  #anew: FileLengths;
  /** The last checkpoint reached, and the lines before it; unless it is on the disk. One that is told stays: its place counts. */
  #latest: { readonly progress: () => Progress; readonly records: number; told?: boolean } | undefined;
  /** What the state holds. */
  #saved: Progress | undefined;
  /** Does the state file hold progress? */
  #written: boolean;
  #due = 0;
  #later: NodeJS.Timeout | undefined;
  readonly #warned = new Set<string>();
  /** Results as the state holds them: each is masked once, and looked through once. */
  readonly #results: { readonly of: JobResult; readonly masked: Value }[] = [];
  /** Of the first so many it is known that they hold no secret. */
  #searched = 0;
  /** A checkpoint may be at work still when the run is stopped and its progress kept. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ProgressWriterOptions) {
    this.#options = options;
    this.#anew = options.anew;
    this.#written = options.before.progress !== undefined || options.place.isTold;
  }

  /** What to send behind the lines before a checkpoint; undefined where it is not to be kept. */
  mark(standing: Standing, settled: Settled): Mark | undefined {
    const { files, unique } = this.#options;
    const { checkpoint, failed } = standing;
    // Files are cut back to where the first job has failed: what other jobs wrote behind it is written again.
    if (files && failed.length > 0) return undefined;
    if (unique && ![checkpoint, ...failed].every(isBeginning)) return undefined;
    if (this.#holdsSecret(checkpoint.position, "the position of the next page")) return undefined;
    if (checkpoint.steps?.answers.some((answer) => !this.#keeps(answer)) === true) return undefined;
    return this.#markOf(standing, settled, false);
  }

  /** What to send behind the last line: only the files' names are missing then. */
  finish(iterations: number, settled: Settled): Mark {
    return this.#markOf({ checkpoint: beginningOf(iterations, 0), failed: [] }, settled, true);
  }

  /** The run has failed: brings the last checkpoint reached on the disk. Answers whether there is progress to go on from. */
  async keep(): Promise<boolean> {
    // Many targets forget a state behind which further records come: the last line is one in any case.
    if (!this.#isTold || this.#hasMore) await this.#inTurn(() => this.#save(true)).catch(() => undefined);
    return this.#written;
  }

  /** All lines of jobs that have ended are written, though others have failed: their increments move. */
  settle(watermarks: Watermarks): Promise<void> {
    const { place, before, sink } = this.#options;
    return this.#inTurn(async () => {
      if (Object.entries(watermarks).every(([key, one]) => this.#saved?.watermarks[key] === one)) return;
      if (!place.isTold) await sink.sync();
      await place.write({ ...withWatermarks(before, watermarks), progress: this.#saved ?? before.progress });
      this.#written = true;
    });
  }

  /** The run is over: its progress is removed, increments move, and the time where one is given (Unix seconds). */
  end(previousStart: number | undefined, watermarks: Watermarks): Promise<void> {
    const { place, before } = this.#options;
    clearTimeout(this.#later);
    return this.#inTurn(async () => {
      if (previousStart === undefined && !this.#written && Object.keys(watermarks).length === 0) return;
      const time = previousStart ?? before.previousStart;
      await place.write({ ...withWatermarks(before, watermarks), previousStart: time, progress: undefined });
    });
  }

  #markOf({ checkpoint, failed }: Standing, settled: Settled, always: boolean): Mark {
    const { place, begun, secrets, sink, eager, now } = this.#options;
    const clock = now();
    const count = settled.results.length;
    const { watermarks } = settled;
    const progressAt = (lengths: FileLengths, anew: FileLengths): Progress => ({
      ...begun,
      clock,
      ...maskedTallies({ checkpoint, failed }, secrets),
      lengths,
      ...(isBehindSteps(checkpoint) ? { anew } : {}),
      results: this.#masked(settled.results.slice(0, count)),
      watermarks,
    });
    return {
      reached: (lengths) =>
        this.#inTurn(async () => {
          if (!isBehindSteps(checkpoint)) this.#anew = lengths;
          const anew = this.#anew;
          this.#latest = { progress: () => progressAt(lengths, anew), records: sink.records() };
          // An answer that is lost would be asked for again: there would be a second export.
          const isAnswer = checkpoint.steps !== undefined && !isBehindSteps(checkpoint);
          // An increment that moves must not be ahead of the lines, whatever becomes of the power.
          const moves = eager && Object.keys(watermarks).length > Object.keys(this.#saved?.watermarks ?? {}).length;
          const durable = always || isAnswer || moves || performance.now() >= this.#due;
          if (durable || eager) await this.#save(durable);
          else if (place.isTold) this.#saveLater();
        }),
    };
  }

  #masked(results: readonly JobResult[]): Value[] {
    return results.map((result, index) => {
      const known = this.#results[index];
      if (known?.of === result) return known.masked;
      const masked = maskedValue(result, this.#options.secrets);
      this.#results[index] = { of: result, masked };
      this.#searched = Math.min(this.#searched, index);
      return masked;
    });
  }

  /** A state that is told is not held back for the next lines, which may be long in coming, nor told behind them. */
  #saveLater(): void {
    clearTimeout(this.#later);
    const stillLast = async (): Promise<void> => {
      if (!this.#isTold && !this.#hasMore) await this.#save(true);
    };
    // Where it cannot be written, the lines cannot either.
    const save = (): void => void this.#inTurn(stillLast).catch(() => undefined);
    this.#later = setTimeout(save, this.#due - performance.now()).unref();
  }

  get #isTold(): boolean {
    return this.#latest?.told === true;
  }

  /** Have lines begun to be written since the last checkpoint was reached? */
  get #hasMore(): boolean {
    return this.#latest?.records !== this.#options.sink.records();
  }

  async #save(durable: boolean): Promise<void> {
    const { place, before, files, sink } = this.#options;
    if (this.#latest === undefined) return;
    const begun = performance.now();
    const progress = this.#latest.progress();
    const { results, ...others } = progress;
    if (this.#holdsSecret([others, ...results.slice(this.#searched)], "the progress of the run")) return;
    this.#searched = results.length;
    if (durable && !place.isTold) await sink.sync();
    // Lines in files may yet be thrown away: until then the increments stay where they were.
    const moved = files ? before : withWatermarks(before, progress.watermarks);
    await place.write({ ...moved, progress }, { durable });
    this.#written = true;
    this.#saved = progress;
    if (!durable) return;
    if (place.isTold) this.#latest.told = true;
    else this.#latest = undefined;
    const now = performance.now();
    this.#due = now + Math.min(longestPause, (now - begun) / share);
  }

  #holdsSecret(value: Value, what: string): boolean {
    const { secrets, warn } = this.#options;
    if (!secrets.holds(valueText(value))) return false;
    const text = `${what} holds a secret, which the state does not store: --resume would go on from an earlier place`;
    if (!this.#warned.has(text)) warn(text);
    this.#warned.add(text);
    return true;
  }

  #keeps(answer: StepAnswer): boolean {
    const { secrets, warn } = this.#options;
    const reason = unkept(answer, secrets);
    if (reason !== "secret") return reason === undefined;
    const text = `the answer to step ${JSON.stringify(answer.step)} holds a secret, which the state does not store: --resume would ask it again`;
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
