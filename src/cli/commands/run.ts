import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { LoadedConfiguration } from "../../config/loaded.ts";
import { unlessDry } from "../../core/dry-loop.ts";
import { exitCodes, SpileError } from "../../core/errors.ts";
import { probeFile } from "../../core/files/pending-file.ts";
import { warningEvent } from "../../core/runs/event.ts";
import { isToFiles, type RunOptions, type RunResult } from "../../core/runs/run.ts";
import { run } from "../../pipeline/run.ts";
import type { Reports } from "../../report/reports.ts";
import { reportBug } from "../bug.ts";
import type { CommandEnvironment } from "../command.ts";
import { loadConfiguration } from "../load.ts";
import { limitExit } from "../output.ts";
import { readGiven } from "../read-given.ts";
import { reportsFor, runOptions, targetOf } from "../run-options.ts";
import { writeSummary } from "../summary.ts";
import { keepYoungGenerationSmall } from "../young-generation.ts";

/** Runs `spile config.json`, which writes records to stdout or files, and everything else to stderr. */
export function runCommand(path: string, environment: CommandEnvironment): Promise<number> {
  return runConfiguration(
    () => loadConfiguration(path, environment),
    environment,
    path === "-" ? path : basename(path),
  );
}

/**
 * Loads and runs the configuration `name`, prints how it ended, and returns the exit code. Report, metrics and summary are
 * written in any case.
 */
export async function runConfiguration(
  load: () => LoadedConfiguration | Promise<LoadedConfiguration>,
  environment: CommandEnvironment,
  name: string,
): Promise<number> {
  const { options, report, secrets } = environment;
  const startedAt = new Date();
  keepYoungGenerationSmall();
  const { "max-time": maxTime } = options;
  if (maxTime !== undefined && !isToFiles(targetOf(environment))) limitExit(maxTime, environment.stdout, report.fault);
  if (options.summary !== undefined && options.summary !== "-") await probeFile(options.summary);
  const reports = await reportsFor(environment, name);
  let result: RunResult;
  try {
    // Even a run that hangs must end with a summary, which a scheduler reads.
    result = await unlessDry(
      Promise.resolve(load()).then((loaded) => runRecorded(loaded, environment, reports)),
      () => new SpileError("bug", "the configuration was not read, and the process has nothing left to wait for"),
    );
  } catch (error) {
    if (!(error instanceof SpileError)) throw error;
    // This result lets a summary be written. Otherwise a scheduler would read the summary of an earlier run.
    report.fault(error);
    const durationMs = Date.now() - startedAt.getTime();
    result = { exitCode: error.exitCode, failure: error, records: 0, jobs: [], startedAt, durationMs };
  }
  report.summary(result);
  const remainsText = leftBehind(result, environment);
  if (remainsText !== undefined) report.note(`info ${remainsText}\n`);
  if (result.failure?.kind === "bug")
    reportBug(result.failure.cause ?? result.failure, { report, secrets, debug: options.debug ?? false });
  if (reports !== undefined) {
    const isPartial = (options.job ?? []).length > 0 || options.catalog !== undefined;
    result = await reports.writeFiles(result, { isPartial });
  }
  if (options.summary === undefined) return result.exitCode;
  try {
    await writeSummary(options.summary, result, environment.stdout);
  } catch (error) {
    if (!(error instanceof SpileError)) throw error;
    // An error that ended the run was reported already.
    if (error.message !== result.failure?.message) report.fault(error);
    return result.exitCode === exitCodes.success ? exitCodes.output : result.exitCode;
  }
  return result.exitCode;
}

/** Describes what a failed run leaves behind: files that were not written, and progress from which it can be resumed. */
function leftBehind({ failure, jobs, exitCode }: RunResult, environment: CommandEnvironment): string | undefined {
  if (failure === undefined || jobs.length === 0 || exitCode === exitCodes.closedPipe) return undefined;
  const { state, "state-out": stateOut = state, singer } = environment.options;
  const hasProgress = stateOut !== undefined && !singer && jobs.some(({ pages }) => pages > 0) && existsSync(stateOut);
  const isResumable = hasProgress && failure.refusal?.isExpired !== true;
  const target = targetOf(environment);
  const parts = [
    ...(target.kind === "file" && !isDevice(target.path) ? [`${target.path} was not written`] : []),
    ...(target.kind === "folder" ? [`no file in ${target.path} was written`] : []),
    ...(isResumable ? [`--resume continues this run: its progress is in ${stateOut}`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join("; ");
}

/** Returns whether a path is a pipe or a device, from which lines cannot be removed again. */
function isDevice(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
}

/** Runs a configuration, with a recording or a replay if the options ask for one. */
async function runRecorded(
  loaded: LoadedConfiguration,
  environment: CommandEnvironment,
  reports: Reports | undefined,
): Promise<RunResult> {
  const { options, secrets, report } = environment;
  const { record, replay, "record-body": limit } = options;
  const givenOptions: RunOptions = {
    ...runOptions(environment),
    ...(reports === undefined ? {} : { account: reports.account, emit: reports.emit }),
    datasets: await datasetsIn(environment),
  };
  if (replay !== undefined) {
    const { openReplay } = await import("../../recording/replay.ts");
    const { transport, now } = await openReplay(replay, secrets, environment.signal);
    return run(loaded, { ...givenOptions, transport, now, waits: false });
  }
  if (record === undefined) return run(loaded, givenOptions);
  const { openRecorder } = await import("../../recording/recorder.ts");
  const warn = (text: string): void => report.emit(warningEvent(text));
  const { transport, now, close } = await openRecorder(record, { secrets, limit, warn });
  const result = await run(loaded, { ...givenOptions, transport, now });
  try {
    await unlessDry(
      close(),
      () => new SpileError("bug", `${record} was not written, and the process has nothing left to wait for`),
    );
  } catch (error) {
    if (!(error instanceof SpileError)) throw error;
    report.fault(error);
    return result.exitCode === exitCodes.success ? { ...result, exitCode: error.exitCode, failure: error } : result;
  }
  return result;
}

/** Returns the datasets that a catalog selects; undefined if there is no catalog. */
async function datasetsIn({ options, signal }: CommandEnvironment): Promise<ReadonlySet<string> | undefined> {
  const { catalog: path } = options;
  if (path === undefined) return undefined;
  const text = (await readGiven(path, `the catalog ${path}`, signal)).toString();
  const { selectedStreams } = await import("../../output/singer/catalog.ts");
  return selectedStreams(text, path);
}
