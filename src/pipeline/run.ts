import { once } from "node:events";
import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { type Compiled, type Compiler, createCompiler } from "../compile/compile.ts";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { exitCodes, type SpileError } from "../core/errors.ts";
import { noAccount } from "../core/runs/account.ts";
import { concealError, concealed, maskedDatasets } from "../core/runs/conceal.ts";
import { addDataset, type Dataset, type Datasets } from "../core/runs/dataset.ts";
import { warningEvent } from "../core/runs/event.ts";
import type { Lines } from "../core/runs/lines.ts";
import { areFinished, isToFiles, type JobResult, type RunOptions, type RunResult } from "../core/runs/run.ts";
import { type Moved, Moves } from "../core/runs/watermark.ts";
import { counted } from "../core/text/counted.ts";
import type { Concurrency } from "../generated/configuration.ts";
import type { Regulator } from "../http/pacing/regulator.ts";
import type { Mark } from "../output/sink.ts";
import { suspectFilesMessage, usesSuspectFiles } from "../output/suspect-files.ts";
import { openCredentials } from "../resume/credentials-file.ts";
import { type Journal, openJournal } from "../resume/journal.ts";
import { isStorable } from "../resume/watermarks.ts";
import { alwaysSettled } from "./always-settled.ts";
import { extract } from "./extract/extract.ts";
import { Fetch } from "./fetch/fetch.ts";
import { regulate } from "./fetch/regulate.ts";
import { AdaptiveInFlight, fixedInFlight, type InFlight, maxInFlight } from "./in-flight.ts";
import { type JobRun, mayRunAhead } from "./job-run.ts";
import { LineBudget } from "./line-budget.ts";
import type { PageWatermark } from "./page-watermark.ts";
import { close, failureAfter, giveUp, type OpenedRun, type RunInProgress, stalledError } from "./run-end.ts";
import { type Iterations, scheduled, standingAt } from "./schedule.ts";
import { jobEndEvent } from "./source/events.ts";
import { PageSource } from "./source/page-source.ts";
import { limitTime } from "./time-limit.ts";

/** Replacements for parts of a run: the journal, which gives the run its time and opens its output, and the choice of jobs. */
export interface RunReplacements {
  readonly openJournal: typeof openJournal;
  jobs(compiled: Compiled, iteration: number): Compiled | Promise<Compiled>;
  /** See `PageSourceOptions.ended`. */
  ended?(run: JobRun, watermark: PageWatermark): Mark | undefined;
  /** Receives the increments of child jobs that have moved for a parent. Default: they go to the state of the run. */
  moved?(moved: Moved): void;
}

const wholeRun: RunReplacements = { openJournal, jobs: (compiled) => compiled };

/**
 * Runs all jobs of a configuration, once for each iteration. Every failure is reported by an `error` event and is in the result; the
 * promise never rejects. Lines written before a failure stay written.
 */
export async function run(
  loaded: LoadedConfiguration,
  runOptions: RunOptions,
  replacements: RunReplacements = wholeRun,
): Promise<RunResult> {
  const startedAt = new Date(runOptions.now?.() ?? Date.now());
  const beginning = performance.now();
  const { secrets, account = noAccount } = runOptions;
  account.open(beginning);
  const stalled = new AbortController();
  const time = limitTime(AbortSignal.any([runOptions.signal, stalled.signal]), runOptions.maxTime);
  const options: RunOptions = {
    ...runOptions,
    signal: time.signal,
    emit: (event) => runOptions.emit(concealed(event, secrets)),
  };
  const jobs: JobResult[] = [];
  const opened: OpenedRun = { awaited: "the state" };
  const ending = await alwaysSettled(runAll(loaded, options, opened, { results: jobs, startedAt, replacements }), {
    signal: time.signal,
    timeoutMs: isToFiles(options.target) ? closeTimeoutsMs.files : closeTimeoutsMs.stream,
    stall: () => stalled.abort(stalledError(opened)),
    giveUp: () => giveUp(opened, options),
  });
  time.end();
  // If a program closes the stream of the library, this aborts the run, and is no failure. A closed pipe of the command is one (141).
  const failure = ending?.kind === "closedPipe" && time.signal.aborted ? undefined : ending;
  concealError(failure, secrets);
  const records = jobs.reduce((sum, job) => sum + job.records, 0);
  const suspect = options.strict === true && jobs.some(({ verdict }) => verdict === "suspect");
  const exitCode = failure?.exitCode ?? (suspect ? exitCodes.suspect : exitCodes.success);
  const unlistedJobs = opened.state?.unlistedJobs;
  const message = `${counted(records, "record")}, exit code ${exitCode}`;
  options.emit({ event: "run.end", level: "info", message, records, exitCode });
  const ended = performance.now();
  account.close(ended);
  const suspectFiles = opened.state?.suspectFiles.map((path) => secrets.mask(path));
  const durationMs = Math.round(ended - beginning);
  return { exitCode, failure, records, jobs, unlistedJobs, startedAt, durationMs, suspectFiles };
}

/** Milliseconds that a run gets to end after it was stopped, so that it can flush its files to the disk. */
const closeTimeoutsMs = { files: 10_000, stream: 1000 };

/** Runs all jobs, including reading and writing of the state. Returns the first failure. */
async function runAll(
  loaded: LoadedConfiguration,
  options: RunOptions,
  opened: OpenedRun,
  { results, startedAt, replacements }: { results: JobResult[]; startedAt: Date; replacements: RunReplacements },
): Promise<SpileError | undefined> {
  try {
    const journal = await replacements.openJournal(loaded, options, Math.floor(startedAt.getTime() / 1000));
    opened.journal = journal;
    opened.awaited = "the credentials file";
    const { credentials: path } = options;
    if (path !== undefined) opened.credentials = await openCredentials(path, options.secrets, options.signal);
    const compiler = createCompiler(loaded, journal.time, options, opened.credentials);
    opened.compiler = compiler;
    opened.awaited = "the check of the configuration";
    const { compiled, datasets, isPartial } = await prepare(loaded, compiler, options);
    const { ended, moved } = replacements;
    const ready = async (iteration: number): Promise<Compiled> =>
      replacements.jobs(await compiled(iteration), iteration);
    const iterations = { count: loaded.iterations.length, ready };
    const runFrom = async (from: Journal): Promise<RunInProgress> => {
      opened.journal = from;
      opened.awaited = "the output to open";
      const state = await begin(from, datasets, { options, results, isPartial, ended, moved });
      opened.state = state;
      opened.awaited = "the last lines to be written, or the next iteration";
      const restarted = await runIterations(iterations, compiler, state).then(() => undefined, restartJobs(state));
      return restarted === undefined ? state : runFrom(restarted);
    };
    const state = await runFrom(journal);
    opened.awaited = "the output or the state to be written";
    state.source = undefined;
    await finish(state);
    return state.failure;
  } catch (error) {
    const failure = failureAfter(error, opened, options);
    await opened.journal?.fail(failure, []);
    await opened.state?.sink.discard();
    return failure;
  } finally {
    close(opened);
  }
}

/** Opens the output at the place where the run begins or is resumed. */
async function begin(
  journal: Journal,
  datasets: Datasets,
  { options, results, ...others }: Pick<RunInProgress, "options" | "results" | "isPartial" | "ended" | "moved">,
): Promise<RunInProgress> {
  const sink = await journal.open(datasets);
  results.splice(0, results.length, ...journal.results);
  const budget = new LineBudget(options.maxRecords, journal.records);
  const signal = AbortSignal.any([options.signal, failureOf(sink.stream)]);
  const settled = { results: [...journal.results], moved: new Moves(journal.moved) };
  const noFailure = { failure: undefined, failed: [], unlistedJobs: 0, suspectFiles: [], source: undefined };
  return { options, journal, sink, budget, results, settled, signal, ...others, ...noFailure };
}

/** Thrown to end the chain of a resumed run whose place has expired, so that the job can start again. */
class PlaceExpired extends Error {
  readonly refusal: SpileError;
  readonly beginJobAnew: () => Promise<Journal>;

  constructor(refusal: SpileError, beginJobAnew: () => Promise<Journal>) {
    super(refusal.message);
    this.refusal = refusal;
    this.beginJobAnew = beginJobAnew;
  }
}

/** Returns a function that restarts the job after a PlaceExpired, with a new journal, and rethrows every other error. */
function restartJobs({ sink, options: { emit } }: RunInProgress): (error: unknown) => Promise<Journal> {
  return async (error) => {
    if (!(error instanceof PlaceExpired)) throw error;
    const text = `${error.refusal.message}: the place where the job was resumed may have expired, so the job starts over, and its lines are written again`;
    emit({ event: "warning", level: "warning", message: text, job: error.refusal.job });
    sink.stream.destroy();
    await sink.discard();
    return error.beginJobAnew();
  };
}

/**
 * Compiles every iteration before the first request, so that even a fault in the last one is found in time. Returns the datasets, and a
 * function that returns an iteration when its turn comes. If there are several, it compiles the iteration again: all of them together
 * might take more memory than the machine has.
 */
async function prepare(
  loaded: LoadedConfiguration,
  compiler: Compiler,
  options: RunOptions,
): Promise<{
  readonly datasets: Datasets;
  readonly isPartial: boolean;
  readonly compiled: (iteration: number) => Promise<Compiled>;
}> {
  const datasets = new Map<string, Dataset>();
  const increments = new Set<string>();
  let jobs = 0;
  let isPartial = false;
  let first: Compiled | undefined;
  for await (const compiled of compiler.compileAll()) {
    jobs += compiled.jobs.length;
    for (const label of compiled.increments) increments.add(label);
    isPartial ||= compiled.isPartial;
    for (const dataset of compiled.datasets.values()) addDataset(datasets, dataset);
    if (loaded.iterations.length === 1) first = compiled;
  }
  if (options.state === undefined) warnStateless(increments, options);
  options.emit({ event: "run.start", level: "debug", message: `${counted(jobs, "job")} to run` });
  const compileAgain = async (iteration: number): Promise<Compiled> => first ?? (await compiler.compile(iteration));
  const masked = await maskedDatasets(datasets, options.secrets, options.signal);
  return { datasets: masked, isPartial, compiled: compileAgain };
}

/** Warns about increments without a state, which have nothing to continue from. */
function warnStateless(jobs: ReadonlySet<string>, { target, sample, emit }: RunOptions): void {
  if (jobs.size === 0 || sample === true) return;
  const names = [...jobs].join(", ");
  // A Singer target keeps the state, and a first run has none.
  const message =
    target.kind === "singer"
      ? `without --state FILE the increments of ${names} start over; to continue them, give --state the last state that the target printed`
      : `without --state FILE each run starts over: the increments of ${names} are not saved`;
  emit(warningEvent(message));
}

/** Runs the chain: page source, fetch, extract, sink. Only an abort, the sink or PlaceExpired breaks it, not the failure of a job. */
async function runIterations(
  iterations: Pick<Iterations, "count" | "ready">,
  { reading, stepping, concurrency, freeMemory: tidy }: Compiler,
  state: RunInProgress,
): Promise<void> {
  const { options, journal, sink, budget, results } = state;
  const { from, mark, fingerprintKey, beginJobAnew } = journal;
  const { inFlight, maxPageCount, regulator } = loadOf(concurrency, options);
  const unlisted = (count: number): unknown => (state.unlistedJobs += count);
  const source = new PageSource({
    iterations: scheduled({
      from,
      budget,
      isOver: () => state.failure !== undefined && options.keepGoing !== true,
      leftOut(left) {
        for (const result of left) options.emit(jobEndEvent(result));
        results.push(...left);
      },
      unlisted,
      ended: tidy,
      ...iterations,
    }),
    inFlight,
    maxPageCount,
    budget,
    keepGoing: options.keepGoing ?? false,
    unique: reading.unique,
    emit: options.emit,
    now: journal.now,
    ended: state.ended,
    createRestart: beginJobAnew && ((refusal) => new PlaceExpired(refusal, beginJobAnew)),
    mark: mark && ((checkpoint) => mark(standingAt(checkpoint, from, state.failed), state.settled)),
    unlisted,
    finished(ended, moved) {
      const { settled } = state;
      const reported = ended.map((result) => concealed(result, options.secrets));
      results.push(...reported);
      if (reported.every(({ verdict }) => verdict !== "failed")) settled.results.push(...reported);
      settled.moved.push(...moved.filter((one) => isStorable(one, options)));
    },
    moved(one) {
      if (!isStorable(one, options)) return;
      if (state.moved === undefined) state.settled.moved.push(one);
      else state.moved(one);
    },
    movesByWindow: !isToFiles(options.target) && state.moved === undefined,
    moves: journal.moves && (() => journal.moves?.(state.settled)),
    begins(plan) {
      if (options.account !== undefined && mayRunAhead(plan)) options.account.mayRunAhead();
    },
    failed(error, checkpoint) {
      state.failure ??= error;
      state.failed.push(checkpoint);
    },
  });
  state.source = source;
  const fetch = new Fetch({ maxPageCount, regulator, stepping });
  const { signal } = state;
  const { account = noAccount } = options;
  const drained = (): Promise<unknown> => account.during("reader", once(sink.stream, "drain", { signal }));
  const write = (chunks: AsyncIterable<Lines | Mark>): Promise<void> => writeOn(sink.stream, chunks, drained);
  await pipeline(source, fetch, extract({ budget, fingerprintKey, ...reading }), write, { signal });
}

/**
 * Returns the rule for the number of pages in flight. With `auto`, a replay requests one page at a time: its answers do not come from a
 * network, so they do not show how many requests the API can take.
 */
function loadOf(
  concurrency: Concurrency,
  { waits }: RunOptions,
): { readonly inFlight: InFlight; readonly maxPageCount: number; readonly regulator: Regulator | undefined } {
  if (concurrency === "auto" && waits !== false) {
    const adaptive = new AdaptiveInFlight();
    return { inFlight: adaptive, maxPageCount: maxInFlight, regulator: regulate(adaptive) };
  }
  const maxPageCount = concurrency === "auto" ? 1 : concurrency;
  return { inFlight: fixedInFlight(maxPageCount), maxPageCount, regulator: undefined };
}

/** Passes lines to a stream that outlives the chain. */
async function writeOn(
  stream: Writable,
  chunks: AsyncIterable<unknown>,
  drained: () => Promise<unknown>,
): Promise<void> {
  for await (const chunk of chunks) if (!stream.write(chunk)) await drained();
}

/** Returns a signal that is aborted when a stream fails. */
function failureOf(stream: Writable): AbortSignal {
  const controller = new AbortController();
  stream.once("error", (error) => controller.abort(error));
  return controller.signal;
}

/** Ends the output and the state after all jobs have ended. */
async function finish(state: RunInProgress): Promise<void> {
  const { sink, journal, results, settled, failure } = state;
  const last = failure === undefined ? journal.finish({ ...settled, results }) : undefined;
  if (last !== undefined) sink.stream.write(last);
  sink.stream.end();
  const { account = noAccount, signal } = state.options;
  await account.during("reader", finished(sink.stream, { signal }));
  if (failure === undefined) {
    const isSuspect = usesSuspectFiles(results, state.options);
    state.suspectFiles = await sink.commit({ isSuspect });
    if (isSuspect) reportSuspectFiles(state);
    // Lines in suspect files are not a part of the output that a later run would continue, so the increments do not move.
    await journal.succeed(gotEverything(state), isSuspect ? [] : settled.moved);
  } else {
    await journal.fail(failure, settled.moved);
    await sink.discard();
  }
}

function reportSuspectFiles({ suspectFiles, options: { target, emit } }: RunInProgress): void {
  const message = suspectFilesMessage(suspectFiles, target);
  if (message !== undefined) emit({ event: "error", level: "error", message, exitCode: exitCodes.suspect });
}

/** Returns whether the state's time moves: no job was left out, is suspect, or was cut short by the command line (C-11.8). */
function gotEverything({ results, options, isPartial }: RunInProgress): boolean {
  return (options.jobs ?? []).length === 0 && !isPartial && areFinished(results);
}
