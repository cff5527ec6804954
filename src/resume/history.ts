import type { LoadedConfiguration } from "../config/loaded.ts";
import { SpileError } from "../core/errors.ts";
import { newFingerprintKey } from "../core/fingerprint.ts";
import type { JobResult, RunOptions, RunTime } from "../core/run.ts";
import { integer, isObject } from "../core/value.ts";
import { openSink } from "../output/open-sink.ts";
import type { Mark, Sink } from "../output/sink.ts";
import { createJournal, type Journal } from "./journal.ts";
import { lockState } from "./lock.ts";
import type { Progress, Standing } from "./progress.ts";
import { originOf, removeFiles, tagOf, takeUp, throwAway } from "./resume.ts";
import { readState, type State, writeState } from "./state-file.ts";

/** What a run knows of those before it, and leaves to those after it. Without a state file that is nothing. */
export interface History {
  readonly time: RunTime;
  /** Where the run goes on: runs of the configuration before it are done. */
  readonly from: Standing & { readonly iteration: number };
  /** Results of jobs that had ended when the run was interrupted. */
  readonly results: readonly JobResult[];
  /** Lines written before it was interrupted. */
  readonly records: number;
  /** Of the lines' fingerprints: the positions of a run that is taken up hold some. */
  readonly fingerprintKey: string;
  /** Milliseconds, for paging: time in which an interrupted run stood still is left out. */
  now(): number;
  /** Opens the output, where it goes on. An interrupted run that is not taken up is thrown away. */
  open(): Promise<Sink>;
  readonly mark:
    | ((iteration: number, standing: Standing, results: readonly JobResult[]) => Mark | undefined)
    | undefined;
  /** What to send behind the last line, where files are to get their names then. */
  finish(results: readonly JobResult[]): Mark | undefined;
  /** The run has ended, its output written. `everything`: the time moves. */
  succeed(everything: boolean): Promise<void>;
  /** The run has failed, and may be taken up. Never rejects. */
  fail(failure: SpileError): Promise<void>;
  /** Gives up the state file. */
  close(): void;
}

const beginning = { iteration: 0, job: 0, position: null, pages: 0, tally: undefined };

/**
 * Opens the history in the state file and locks it. Rejects with SpileError `temporary` where another run uses it, and
 * `configuration` where the run cannot go on from its progress. `startedAt` in Unix seconds.
 */
export async function openHistory(
  loaded: LoadedConfiguration,
  options: RunOptions,
  startedAt: number,
): Promise<History> {
  const { state: path, resume, target } = options;
  if (path !== undefined) {
    const close = lockState(path);
    try {
      return await stateHistory(path, await readState(path), loaded, options, startedAt, close);
    } catch (error) {
      close();
      throw error;
    }
  }
  if (resume === true)
    throw new SpileError("usage", "--resume needs --state FILE, where the progress of a run is kept");
  const nothing = async (): Promise<void> => undefined;
  return {
    time: { currentStart: startedAt, previousStart: 0 },
    from: beginning,
    results: [],
    records: 0,
    fingerprintKey: newFingerprintKey(),
    now: Date.now,
    open: () => openSink(target),
    mark: undefined,
    finish: () => undefined,
    succeed: nothing,
    fail: nothing,
    close: () => undefined,
  };
}

async function stateHistory(
  path: string,
  before: State,
  loaded: LoadedConfiguration,
  options: RunOptions,
  startedAt: number,
  close: () => void,
): Promise<History> {
  const { resume, target, secrets, emit } = options;
  const found = originOf(loaded, options, startedAt);
  const progress = resume === true ? takeUp(before, found, options) : undefined;
  const { startedAt: begun, fingerprintKey } = progress ?? found;
  const origin = { ...found, startedAt: begun, fingerprintKey };
  const tally = progress?.tally ?? undefined;
  const counted = isObject(tally) ? integer(tally.records ?? 0) : undefined;
  const results = (progress?.results ?? []) as unknown as readonly JobResult[];
  const records = results.reduce((sum, result) => sum + result.records, counted ?? 0);
  const pause = progress === undefined ? 0 : Date.now() - progress.clock;
  const now = (): number => Date.now() - pause;
  const tag = await tagOf(path);
  const iterations = loaded.configs.length;
  let current = before;
  let journal: Journal | undefined;
  return {
    time: { currentStart: origin.startedAt, previousStart: before.previousStart },
    from: progress === undefined ? beginning : { ...progress.place, tally },
    results,
    records,
    fingerprintKey,
    now,
    async open() {
      tell(options, before, progress, records);
      if (progress === undefined) current = await throwAway(path, before);
      const finished = progress !== undefined && progress.place.iteration >= iterations;
      const kept = resume === undefined ? undefined : { tag, lengths: progress?.lengths, finished };
      const sink = await openSink(target, kept);
      if (resume === undefined) return sink;
      journal = createJournal({
        path,
        before: current,
        origin,
        sink,
        files: target.kind !== "stream",
        unique: options.unique !== undefined,
        secrets,
        now,
        warn: (message) => emit({ event: "warning", level: "warning", message }),
      });
      return sink;
    },
    mark: (...standing) => journal?.mark(...standing),
    finish: (ended) => (target.kind === "stream" ? undefined : journal?.finish(iterations, ended)),
    async succeed(everything) {
      const previousStart = everything ? origin.startedAt : undefined;
      if (journal !== undefined) await journal.end(previousStart);
      else if (previousStart !== undefined) await writeState(path, { ...current, previousStart });
    },
    async fail({ kind }) {
      // Nobody knows what a reader that went away has taken.
      const isKept = kind === "closedPipe" ? journal?.end(undefined) : journal?.keep();
      if ((await isKept?.catch(() => undefined)) === false) await removeFiles(origin.output, tag);
    },
    close,
  };
}

function tell(
  { emit, resume, state }: RunOptions,
  { progress }: State,
  taken: Progress | undefined,
  records: number,
): void {
  if (taken !== undefined) {
    const message = `going on where the run of ${iso(taken.startedAt)} was interrupted, after ${records} records`;
    emit({ event: "run.start", level: "info", message });
  } else if (resume === true) {
    emit({ event: "run.start", level: "info", message: `${state} holds no interrupted run: beginning anew` });
  } else if (progress !== undefined) {
    const message = `${state} holds the progress of an interrupted run, which is thrown away; --resume would go on with it`;
    emit({ event: "warning", level: "warning", message });
  }
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
