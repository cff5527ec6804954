import type { LoadedConfiguration } from "./config/loaded.ts";
import { asSpileError } from "./core/errors.ts";
import { warningEvent } from "./core/runs/event.ts";
import type { RunOptions, RunResult } from "./core/runs/run.ts";
import { run } from "./pipeline/run.ts";
import type { Archive } from "./recording/har.ts";
import type { Reports } from "./report/reports.ts";

/** The options of a run for its recording, its replay and its reports. */
export interface ReportingOptions {
  /** True to record every request and its answer, with masked secrets. The result has the recording (HTTP Archive 1.2). */
  readonly record?: boolean | undefined;
  /** A recording that answers every request. Nothing is sent. */
  readonly replay?: object | undefined;
  /** Path of an HTML page that says how each job ended, and how the run spent its time. */
  readonly report?: string | undefined;
  /** Path of a file with the figures of the run, for Prometheus. */
  readonly metrics?: string | undefined;
  /** The label `config` of the metrics; `-` if absent. */
  readonly metricsName?: string | undefined;
}

/** The result of a run, and its recording. */
export interface ExtractionResult extends RunResult {
  /** With the option `record`: the requests of the run and their answers. */
  readonly recording?: Archive | undefined;
}

/** Runs a configuration, with its recording or replay and its reports. Never rejects. */
export async function runReporting(
  loaded: LoadedConfiguration,
  options: RunOptions,
  { record, replay, report, metrics, metricsName }: ReportingOptions,
): Promise<ExtractionResult> {
  const startedAt = new Date();
  const { secrets, emit } = options;
  const reportError = (error: { readonly message: string; readonly exitCode: number }): void =>
    emit({ event: "error", level: "error", message: secrets.mask(error.message), exitCode: error.exitCode });
  let reports: Reports | undefined;
  let result: ExtractionResult;
  try {
    if (report !== undefined || metrics !== undefined) {
      const { openReports } = await import("./report/reports.ts");
      reports = await openReports({ report, metrics, metricsName, name: "-", emit, reportError });
    }
    const runOptions = reports === undefined ? options : { ...options, account: reports.account, emit: reports.emit };
    if (replay !== undefined) {
      const { replayOf } = await import("./recording/replay.ts");
      const { transport, now } = replayOf(replay, "the recording", secrets);
      result = await run(loaded, { ...runOptions, transport, now, waits: false });
    } else if (record === true) {
      const { recordInMemory } = await import("./recording/recorder.ts");
      const { transport, now, close, archive } = recordInMemory({ secrets, warn: (text) => emit(warningEvent(text)) });
      const ended = await run(loaded, { ...runOptions, transport, now });
      await close();
      result = { ...ended, recording: archive() };
    } else result = await run(loaded, runOptions);
  } catch (error) {
    const failure = asSpileError(error);
    reportError(failure);
    const durationMs = Date.now() - startedAt.getTime();
    result = { exitCode: failure.exitCode, failure, records: 0, jobs: [], startedAt, durationMs };
  }
  const isPartial = (options.jobs ?? []).length > 0;
  return reports === undefined ? result : { ...result, ...(await reports.writeFiles(result, { isPartial })) };
}
