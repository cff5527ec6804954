import { maskedValue } from "../core/conceal.ts";
import type { Secrets } from "../core/redact.ts";
import type { JobResult } from "../core/run.ts";
import { valueText } from "../core/value.ts";
import type { FileLengths, Mark, Sink } from "../output/sink.ts";
import type { Place, Progress, Standing } from "./progress.ts";
import type { Origin } from "./resume.ts";
import { type State, writeState } from "./state-file.ts";

export interface JournalOptions {
  /** The state file. */
  readonly path: string;
  /** What it holds when the run begins. */
  readonly before: State;
  /** The part of the progress that does not change. */
  readonly origin: Origin;
  readonly sink: Sink;
  /** Are lines written to files, which can be cut back? Then the state is never ahead of what is on the disk. */
  readonly files: boolean;
  /** With `--unique` only places between jobs are kept: which keys a job has written its process alone knows. */
  readonly unique: boolean;
  readonly secrets: Secrets;
  /** Milliseconds of the paging's clock. */
  now(): number;
  warn(message: string): void;
}

/** Keeps the progress of a run in the state file. */
export interface Journal {
  /** What to send behind the lines before a place; undefined where it is not to be kept. `results` may grow meanwhile. */
  mark(iteration: number, standing: Standing, results: readonly JobResult[]): Mark | undefined;
  /** What to send behind the last line: only the files' names are missing then. */
  finish(iterations: number, results: readonly JobResult[]): Mark;
  /** The run has failed: brings the last place reached on the disk. Answers whether there is progress to go on from. */
  keep(): Promise<boolean>;
  /** The run is over: its progress is removed, and the time moves where one is given (Unix seconds). */
  end(previousStart: number | undefined): Promise<void>;
}

/** The state waits for the disk for this share of the time, unless that is more than a second between two saves. */
const share = 0.05;
const longestPause = 1000;

interface Reached {
  readonly lengths: FileLengths;
  progress(): Omit<Progress, "lengths">;
}

export function createJournal(options: JournalOptions): Journal {
  const { path, before, origin, sink, files, unique, secrets } = options;
  /** The last place reached, unless it is on the disk. */
  let latest: Reached | undefined;
  let written = before.progress !== undefined;
  let due = 0;
  const warned = new Set<string>();
  // A mark may be at work still when the run is stopped and its progress kept.
  let last: Promise<unknown> = Promise.resolve();

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  async function save(durable: boolean): Promise<void> {
    if (latest === undefined) return;
    const begun = performance.now();
    const progress: Progress = { ...latest.progress(), lengths: latest.lengths };
    if (holdsSecret(progress, "the progress of the run")) return;
    if (durable) await sink.sync();
    await writeState(path, { ...before, progress }, { durable });
    written = true;
    if (!durable) return;
    latest = undefined;
    const now = performance.now();
    due = now + Math.min(longestPause, (now - begun) / share);
  }

  function holdsSecret(value: Progress | Place["position"], what: string): boolean {
    if (!secrets.holds(valueText(value))) return false;
    const text = `${what} holds a secret, which the state does not store: --resume would go on from an earlier place`;
    if (!warned.has(text)) options.warn(text);
    warned.add(text);
    return true;
  }

  function markOf(place: Place, tally: Standing["tally"], results: readonly JobResult[], always: boolean): Mark {
    const clock = options.now();
    const count = results.length;
    const progress = (): Omit<Progress, "lengths"> => ({
      ...origin,
      clock,
      place,
      results: results.slice(0, count).map((result) => maskedValue(result, secrets)),
      tally: tally === undefined ? null : maskedValue(tally, secrets),
    });
    return {
      reached: (lengths) =>
        inTurn(async () => {
          latest = { lengths, progress };
          const durable = always || performance.now() >= due;
          if (durable || !files) await save(durable);
        }),
    };
  }

  return {
    mark(iteration, { tally, ...standing }, results) {
      const { position } = standing;
      if (unique && position !== null) return undefined;
      if (holdsSecret(position, "the position of the next page")) return undefined;
      return markOf({ iteration, ...standing }, tally, results, false);
    },
    finish: (iterations, results) =>
      markOf({ iteration: iterations, job: 0, position: null, pages: 0 }, undefined, results, true),
    async keep() {
      await inTurn(() => save(true)).catch(() => undefined);
      return written;
    },
    end: (previousStart) =>
      inTurn(async () => {
        if (previousStart === undefined && !written) return;
        const time = previousStart ?? before.previousStart;
        await writeState(path, { ...before, previousStart: time, progress: undefined });
      }),
  };
}
