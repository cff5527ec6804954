import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { type Compiled, compile } from "../compile/compile.ts";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { concealError, concealed } from "../core/conceal.ts";
import { counted } from "../core/counted.ts";
import { asSpileError, exitCodes, type SpileError } from "../core/errors.ts";
import type { JobResult, RunOptions, RunResult } from "../core/run.ts";
import type { Sink } from "../output/sink.ts";
import { type History, openHistory } from "../resume/history.ts";
import { extract } from "./extract/extract.ts";
import { Fetch } from "./fetch/fetch.ts";
import { PageSource } from "./source/page-source.ts";
import { limitTime } from "./time-limit.ts";

/** One run under way: what its parts have in common. */
interface State {
  readonly options: RunOptions;
  readonly history: History;
  readonly sink: Sink;
  /** Lines that may still be written. */
  readonly limit: { remaining: number };
  readonly jobs: JobResult[];
  failure: SpileError | undefined;
  /** Of the run under way. */
  source: PageSource | undefined;
}

/**
 * Runs all jobs of a configuration, once for each iteration. Every failure is told by an `error` event and is in the
 * result; the promise never rejects. Lines written before a failure stay written.
 */
export async function run(loaded: LoadedConfiguration, given: RunOptions): Promise<RunResult> {
  const startedAt = new Date();
  const begun = performance.now();
  const jobs: JobResult[] = [];
  const { secrets } = given;
  const limit = limitTime(given.signal, given.maxTime);
  const options: RunOptions = {
    ...given,
    signal: limit.signal,
    emit: (event) => given.emit(concealed(event, secrets)),
  };
  const failure = await runAll(loaded, options, jobs, startedAt);
  limit.end();
  concealError(failure, secrets);
  const records = jobs.reduce((sum, job) => sum + job.records, 0);
  const suspect = options.strict === true && jobs.some(({ verdict }) => verdict === "suspect");
  const exitCode = failure?.exitCode ?? (suspect ? exitCodes.suspect : exitCodes.success);
  const durationMs = Math.round(performance.now() - begun);
  options.emit({
    event: "run.end",
    level: "info",
    message: `${counted(records, "record")}, exit code ${exitCode}`,
    records,
    exitCode,
  });
  return { exitCode, failure, records, jobs, startedAt, durationMs };
}

async function runAll(
  loaded: LoadedConfiguration,
  options: RunOptions,
  jobs: JobResult[],
  startedAt: Date,
): Promise<SpileError | undefined> {
  let history: History | undefined;
  let sink: Sink | undefined;
  let state: State | undefined;
  const runs: Compiled[] = [];
  try {
    history = await openHistory(loaded, options, Math.floor(startedAt.getTime() / 1000));
    const { time, from } = history;
    // Every run is compiled before the first request, so that a fault in the last iteration is found first.
    for (const [index, config] of loaded.configs.entries()) {
      const settings = loaded.runs[index] ?? new Map();
      runs.push(await compile(loaded, { config, settings }, time, options));
    }
    const count = runs.reduce((sum, { jobs: { length } }) => sum + length, 0);
    options.emit({ event: "run.start", level: "debug", message: `${count} ${count === 1 ? "job" : "jobs"} to run` });
    sink = await history.open();
    jobs.push(...history.results);
    state = {
      options,
      history,
      sink,
      limit: { remaining: (options.maxRecords ?? Infinity) - history.records },
      jobs,
      failure: undefined,
      source: undefined,
    };
    for (const [iteration, compiled] of runs.entries()) {
      if (iteration < from.iteration || state.limit.remaining <= 0) continue;
      if (state.failure === undefined || options.keepGoing) await runOnce(compiled, iteration, state);
    }
    const last = state.failure === undefined ? history.finish(jobs) : undefined;
    if (last !== undefined) sink.stream.write(last);
    await finish(sink.stream);
    if (state.failure !== undefined) {
      await history.fail(state.failure);
      await sink.discard();
      return state.failure;
    }
    await sink.commit();
    await history.succeed(gotEverything(state));
    return undefined;
  } catch (error) {
    const { aborted, reason } = options.signal;
    const failure = tell(aborted ? reason : error, options);
    await history?.fail(failure);
    await sink?.discard();
    if (aborted) state?.source?.abandon(failure.message);
    return failure;
  } finally {
    for (const { session } of runs) session.close();
    history?.close();
  }
}

/** The chain: page source, fetch, extract, sink. A job's failure ends the source; only an abort or the sink breaks it. */
async function runOnce(
  { jobs, session, authenticator, reading, concurrency, logins }: Compiled,
  iteration: number,
  state: State,
): Promise<void> {
  const { options, limit, sink, history } = state;
  const source = new PageSource({
    jobs,
    concurrency,
    limit,
    keepGoing: options.keepGoing ?? false,
    unique: reading.unique,
    emit: options.emit,
    now: history.now,
    logins,
    from: iteration === history.from.iteration ? history.from : undefined,
    // With --keep-going a run is taken up where its first failure was.
    mark: history.mark && ((standing) => (state.failure ? undefined : history.mark?.(iteration, standing, state.jobs))),
    finished: (result) => state.jobs.push(concealed(result, options.secrets)),
    failed: (error) => {
      state.failure ??= error;
    },
  });
  state.source = source;
  const { signal } = options;
  try {
    await pipeline(
      source,
      new Fetch({ session, authenticator, concurrency }),
      extract({ ...reading, limit, fingerprintKey: history.fingerprintKey }),
      sink.stream,
      { signal, end: false },
    );
  } finally {
    // Else its connections would stay open, unused, until all iterations are done.
    session.close();
  }
}

/** Only then does the state's time move on: with a suspect job, or one cut short by the command, it stays (contract C-11.8). */
function gotEverything({ jobs, options, limit }: State): boolean {
  // Where the last line allowed was written, jobs or iterations may not have been run at all.
  const all = (options.jobs ?? []).length === 0 && limit.remaining > 0;
  return all && jobs.every(({ verdict, byCommand }) => (verdict === "complete" || verdict === "limited") && !byCommand);
}

/** Ends the output; resolves when everything is written. */
async function finish(stream: Writable): Promise<void> {
  stream.end();
  await finished(stream);
}

/** A failure outside of the jobs' own, told where it is one to tell: a closed pipe is the reader's wish. */
function tell(error: unknown, { emit }: RunOptions): SpileError {
  const failure = asSpileError(error);
  if (failure.kind !== "closedPipe") {
    emit({ event: "error", level: "error", message: failure.message, exitCode: failure.exitCode });
  }
  return failure;
}
