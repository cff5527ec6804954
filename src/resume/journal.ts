import { statSync } from "node:fs";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { messageOf, SpileError } from "../core/errors.ts";
import type { Datasets } from "../core/runs/dataset.ts";
import { warningEvent } from "../core/runs/event.ts";
import { isToFiles, type JobResult, type RunOptions, type RunTime, type Target } from "../core/runs/run.ts";
import type { Moved, MovedList } from "../core/runs/watermark.ts";
import { newFingerprintKey } from "../core/values/fingerprint.ts";
import { integer, isObject, type Value } from "../core/values/value.ts";
import { openSink } from "../output/open-sink.ts";
import type { Mark, Sink } from "../output/sink.ts";
import { atLaterTime, isAfterSteps } from "./answered-steps.ts";
import { checkIdentity, identityOf } from "./identity.ts";
import type { ProgressPlace } from "./log-entry.ts";
import { movesTo } from "./moved-watermarks.ts";
import {
  beginningOf,
  isBeginning,
  type Progress,
  progressOf,
  type RunIdentity,
  type Standing,
  withRestartedJob,
} from "./progress.ts";
import { type Beginning, type JobBeginning, ProgressWriter, type Settled } from "./progress-writer.ts";
import type { State } from "./state-file.ts";
import { openStatePlace, type StatePlace } from "./state-place.ts";
import { watermarksAtBeginning, watermarksOf, withWatermarks } from "./watermarks.ts";

const beginning: Standing = { checkpoint: beginningOf(0, 0), failed: [] };

/** The facts that a run gets from earlier runs and keeps for later ones. Without a state there are none. */
export interface Journal {
  readonly time: RunTime;
  /** The place at which the run begins or is resumed. */
  readonly from: Standing;
  /** Results of jobs that ended before the run was interrupted. */
  readonly results: readonly JobResult[];
  /** The increments that moved before the run was interrupted. */
  readonly moved: readonly Moved[];
  /** Number of lines written before the run was interrupted. */
  readonly records: number;
  /** Key of the lines' fingerprints. A resumed run keeps it, since its positions contain such fingerprints. */
  readonly fingerprintKey: string;
  /** Returns the time for paging in milliseconds, without the time between an interruption and the resumed run. */
  now(): number;
  /** Opens the output for lines of these datasets. Removes the progress of a run that is not resumed. */
  open(datasets: Datasets): Promise<Sink>;
  /**
   * Returns the mark to send after the lines before a checkpoint; undefined if the checkpoint is not stored. Absent if no
   * checkpoints are stored.
   */
  readonly mark: ((standing: Standing, settled: Settled) => Mark | undefined) | undefined;
  /**
   * Returns the mark to send after lines between two checkpoints that have moved the increments of some partitions. Undefined if
   * the increments are stored with the next checkpoint.
   */
  readonly moves: ((settled: Settled) => Mark | undefined) | undefined;
  /** Returns the mark to send after the last line, if the output consists of files that then get their names. */
  finish(settled: Settled): Mark | undefined;
  /**
   * Restarts the job in which the run was resumed: removes its lines, and returns a journal that begins before it. The output
   * must take no more lines. Absent if the run was not resumed within a job, or if lines cannot be removed from its output.
   */
  readonly beginJobAnew?: (() => Promise<Journal>) | undefined;
  /**
   * Ends a run whose output was written, and stores its increments. `gotEverything`: true if the run fetched everything, so that
   * the time is stored, too.
   */
  succeed(gotEverything: boolean, moved: MovedList): Promise<void>;
  /** Ends a run that has failed and may be resumed. `moved`: increments of jobs whose lines were all written. Never rejects. */
  fail(failure: SpileError, moved: MovedList): Promise<void>;
  /** Releases the state file. */
  close(): void;
}

/**
 * Opens a run's journal in its state file, and locks the file. Rejects with SpileError `temporary` if another run uses it, with
 * `configuration` if the run cannot resume from its progress. `startedAt` is in Unix seconds.
 */
export async function openJournal(
  loaded: LoadedConfiguration,
  options: RunOptions,
  startedAt: number,
): Promise<Journal> {
  // A Singer tap has no state on its first run, even with --resume.
  const { resume, state, target } = options;
  if (resume === true && state === undefined && target.kind !== "singer") {
    throw new SpileError("usage", "--resume needs --state FILE, where the progress of a run is kept");
  }
  const place = await openStatePlace(options);
  if (place === undefined) return withoutState(options, startedAt);
  try {
    return await withState(place, startedAt, loaded, options);
  } catch (error) {
    place.close();
    throw error;
  }
}

function withoutState({ target, now = Date.now }: RunOptions, startedAt: number): Journal {
  const doNothing = async (): Promise<void> => undefined;
  return {
    time: { currentStart: startedAt, previousStart: 0 },
    from: beginning,
    results: [],
    moved: [],
    records: 0,
    fingerprintKey: newFingerprintKey(),
    now,
    open: (datasets) => openSink(target, datasets),
    mark: undefined,
    moves: undefined,
    finish: () => undefined,
    succeed: doNothing,
    fail: doNothing,
    close: () => undefined,
  };
}

async function withState(
  place: StatePlace,
  startedAt: number,
  loaded: LoadedConfiguration,
  options: RunOptions,
): Promise<Journal> {
  const { resume, now: clock = Date.now } = options;
  const { before } = place;
  const identity = await identityOf(loaded, options);
  const found =
    resume === true && before.progress !== undefined ? progressOf(before.progress, place.progressName) : undefined;
  const progress = found && atLaterTime(found, clock());
  if (progress !== undefined) checkIdentity(progress, identity);
  return journalFrom(progress, { place, before, startedAt, identity, iterations: loaded.iterations.length }, options);
}

interface JournalOptions {
  readonly place: StatePlace;
  /** Content of the state when the run began, or when one of its jobs started over. */
  readonly before: State;
  readonly startedAt: number;
  readonly identity: RunIdentity;
  readonly iterations: number;
}

function journalFrom(progress: Progress | undefined, parts: JournalOptions, options: RunOptions): Journal {
  const { resume, target, emit, now: clock = Date.now } = options;
  const { place, before, startedAt, identity, iterations } = parts;
  const { tag } = place;
  const runBeginning = runBeginningOf(identity, progress, startedAt);
  const { results, records } = writtenProgress(progress);
  const pause = progress === undefined ? 0 : clock() - progress.clock;
  const now = (): number => clock() - pause;
  const isKept = resume !== undefined || place.isReported;
  let current = before;
  let writer: ProgressWriter | undefined;
  const keep: Journal["fail"] = async ({ kind }, moved) => {
    const writtenMoves = isToFiles(target) ? [] : moved;
    // If the reader has closed the pipe, it is unknown how many lines it has read.
    const done = kind === "closedPipe" ? writer?.end(undefined) : writer?.keep(writtenMoves);
    if ((await done?.catch(() => undefined)) === false) await place.removeUnfinished(runBeginning.output);
    if (writer !== undefined || writtenMoves.length === 0 || kind === "closedPipe") return;
    await place.write(withWatermarks(current, writtenMoves.slice(0))).catch(() => undefined);
  };
  const restarted = progress && withRestartedJob(progress);
  return {
    time: timeOf(before, place.name, runBeginning.startedAt, progress),
    from: progress ?? beginning,
    results,
    moved: movesTo(progress?.watermarks ?? {}),
    records,
    fingerprintKey: runBeginning.fingerprintKey,
    now,
    async open(datasets) {
      reportBeginning(options, place, progress, records);
      if (progress === undefined) current = await place.discardProgress();
      const finished = progress !== undefined && progress.checkpoint.iteration >= iterations;
      const kept = !isKept ? undefined : { tag, lengths: progress?.lengths, finished };
      const sink = await openSink(target, datasets, kept);
      if (!isKept) return sink;
      writer = new ProgressWriter({
        place,
        before: current,
        beginning: runBeginning,
        from: placeOf(progress ?? { ...beginning, lengths: {} }, now()),
        sink,
        anew: (progress && isAfterSteps(progress.checkpoint) ? progress.anew : progress?.lengths) ?? {},
        jobBeginning: progress === undefined ? { place: beginning.checkpoint, lengths: {} } : jobBeginningOf(progress),
        files: isToFiles(target),
        eager: target.kind === "stream",
        unique: options.unique !== undefined,
        secrets: options.secrets,
        now,
        warn: (message) => emit(warningEvent(message)),
      });
      return sink;
    },
    mark: !isKept ? undefined : (standing, settled) => writer?.mark(standing, settled),
    moves: !isKept ? undefined : (settled) => writer?.moves(settled),
    beginJobAnew:
      restarted === undefined || !canBeCut(target)
        ? undefined
        : async () => {
            // A save in progress must end first. Otherwise it would replace the place that is written here by a later one.
            await writer?.idle();
            // The state is written before the files are cut. A file may be longer than the state says, but not shorter.
            const state = { ...current, progress: restarted };
            await place.write(state);
            return journalFrom(restarted, { ...parts, before: state }, options);
          },
    finish: (settled) => (isToFiles(target) ? writer?.finish(iterations, settled) : undefined),
    async succeed(gotEverything, moved) {
      const previousStart = gotEverything ? runBeginning.startedAt : undefined;
      if (writer !== undefined) await writer.end(previousStart, moved);
      else if (previousStart !== undefined || moved.length > 0) {
        const time = previousStart ?? current.previousStart;
        await place.write({ ...withWatermarks(current, moved.slice(0)), previousStart: time });
      }
      await place.flush?.();
    },
    async fail(failure, moved) {
      await keep(failure, moved);
      await place.flush?.().catch((error: unknown) => emit(warningEvent(messageOf(error))));
    },
    close: place.close,
  };
}

/** Returns the job in which a run is resumed, and the lengths of the files at its beginning; undefined if they are unknown. */
function jobBeginningOf({ checkpoint, lengths, begun }: Progress): JobBeginning | undefined {
  const knownLengths = isBeginning(checkpoint) ? lengths : begun;
  return knownLengths && { place: checkpoint, lengths: knownLengths };
}

/** Returns whether written lines can be removed again, which a pipe or a device does not allow. */
function canBeCut(target: Target): boolean {
  if (target.kind === "folder") return true;
  return target.kind === "file" && (statSync(target.path, { throwIfNoEntry: false })?.isFile() ?? true);
}

/** Returns the times and watermarks of earlier runs, for expressions. Throws SpileError `configuration` if the state is invalid. */
export function timeOf(before: State, name: string, currentStart: number, progress?: Progress): RunTime {
  const watermarks = watermarksOf(before, name);
  const { previousStart } = before;
  return {
    currentStart,
    previousStart,
    watermarks: progress ? watermarksAtBeginning(watermarks, progress) : watermarks,
  };
}

function runBeginningOf(identity: RunIdentity, progress: Progress | undefined, startedAt: number): Beginning {
  return {
    ...identity,
    startedAt: progress?.startedAt ?? startedAt,
    fingerprintKey: progress?.fingerprintKey ?? newFingerprintKey(),
  };
}

/** Returns the results of jobs that ended before a run was interrupted, and the number of all its lines. */
function writtenProgress(progress: Progress | undefined): Pick<Journal, "results" | "records"> {
  if (progress === undefined) return { results: [], records: 0 };
  // Jobs that had failed have no results yet, since they are continued.
  const results = progress.results as unknown as readonly JobResult[];
  const tallies = [progress.checkpoint, ...progress.failed].flatMap(({ tally }) => (Array.isArray(tally) ? tally : []));
  const counts = [...results.map(({ records }) => records), ...tallies.map(recordsOf)];
  return { results, records: counts.reduce((sum, records) => sum + records, 0) };
}

function recordsOf(tally: Value): number {
  return (isObject(tally) ? integer(tally.records) : undefined) ?? 0;
}

function reportBeginning(
  { emit, resume }: RunOptions,
  { progressName: name, before: { progress } }: StatePlace,
  resumedProgress: Progress | undefined,
  records: number,
): void {
  if (resumedProgress !== undefined) {
    const message = `continuing the run of ${iso(resumedProgress.startedAt)}, which was interrupted after ${records} records`;
    emit({ event: "run.start", level: "info", message });
  } else if (resume === true) {
    emit({ event: "run.start", level: "info", message: `${name} holds no interrupted run: starting over` });
  } else if (progress !== undefined) {
    const message = `${name} holds the progress of an interrupted run, which is discarded; --resume would continue it`;
    emit(warningEvent(message));
  }
}

function placeOf({ checkpoint, failed, lengths }: Omit<ProgressPlace, "clock">, clock: number): ProgressPlace {
  return { clock, checkpoint, failed, lengths };
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
