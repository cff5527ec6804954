import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type { LoadedConfiguration } from "../config/read.ts";
import { exitCodes, type SpileError } from "../core/errors.ts";
import { openSink } from "../output/open-sink.ts";
import type { Sink } from "../output/sink.ts";
import { readState, writeState } from "../state/store.ts";
import { concealed, limitTime } from "./bounds.ts";
import { type Compiled, compile } from "./compile.ts";
import { extract } from "./extract.ts";
import { Fetch } from "./fetch.ts";
import type { JobResult, RunOptions, RunResult } from "./options.ts";
import { asSpileError, PageSource } from "./page-source.ts";

/** One run under way: what its parts have in common. */
interface State {
  readonly options: RunOptions;
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
  if (failure !== undefined) failure.message = secrets.mask(failure.message);
  const records = jobs.reduce((sum, job) => sum + job.records, 0);
  const suspect = options.strict === true && jobs.some(({ verdict }) => verdict === "suspect");
  const exitCode = failure?.exitCode ?? (suspect ? exitCodes.suspect : exitCodes.success);
  const durationMs = Math.round(performance.now() - begun);
  options.emit({
    event: "run.end",
    level: "info",
    message: `${records} records, exit code ${exitCode}`,
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
  let sink: Sink | undefined;
  let state: State | undefined;
  const runs: Compiled[] = [];
  const currentStart = Math.floor(startedAt.getTime() / 1000);
  try {
    const before = options.state === undefined ? undefined : await readState(options.state);
    const time = { currentStart, previousStart: before?.previousStart ?? 0 };
    // Every run is compiled before the first request, so that a fault in the last iteration is found first.
    for (const [index, config] of loaded.configs.entries()) {
      const settings = loaded.runs[index] ?? new Map();
      runs.push(await compile(loaded, { config, settings }, time, options));
    }
    const count = runs.reduce((sum, { jobs: { length } }) => sum + length, 0);
    options.emit({ event: "run.start", level: "debug", message: `${count} ${count === 1 ? "job" : "jobs"} to run` });
    sink = await openSink(options.target);
    state = {
      options,
      sink,
      limit: { remaining: options.maxRecords ?? Infinity },
      jobs,
      failure: undefined,
      source: undefined,
    };
    for (const compiled of runs) {
      if (state.limit.remaining > 0 && (state.failure === undefined || options.keepGoing))
        await runOnce(compiled, state);
    }
    await finish(sink.stream);
    if (state.failure !== undefined) {
      await sink.discard();
      return state.failure;
    }
    await sink.commit();
    if (options.state !== undefined && before !== undefined && gotEverything(state)) {
      await writeState(options.state, { ...before, previousStart: currentStart });
    }
    return undefined;
  } catch (error) {
    await sink?.discard();
    if (!options.signal.aborted) return tell(error, options);
    const failure = tell(options.signal.reason, options);
    state?.source?.abandon(failure.message);
    return failure;
  } finally {
    for (const { session } of runs) session.close();
  }
}

/** The chain: page source, fetch, extract, sink. A job's failure ends the source; only an abort or the sink breaks it. */
async function runOnce(
  { jobs, session, authenticator, reading, concurrency, logins }: Compiled,
  state: State,
): Promise<void> {
  const { options, limit, sink } = state;
  const source = new PageSource({
    jobs,
    concurrency,
    limit,
    keepGoing: options.keepGoing ?? false,
    unique: reading.unique,
    emit: options.emit,
    now: Date.now,
    logins,
    finished: (result) => state.jobs.push(concealed(result, options.secrets)),
    failed: (error) => {
      state.failure ??= error;
    },
  });
  state.source = source;
  const { signal } = options;
  await pipeline(
    source,
    new Fetch({ session, authenticator, concurrency }),
    extract({ ...reading, limit }),
    sink.stream,
    { signal, end: false },
  );
}

/** Only then does the state's time move on: with a suspect job, or one cut short by the command, it stays (spec 11). */
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
