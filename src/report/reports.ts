import { readFile, stat } from "node:fs/promises";
import { unlessDry } from "../core/dry-loop.ts";
import { exitCodes, SpileError } from "../core/errors.ts";
import { probeFile, replaceFile } from "../core/files/pending-file.ts";
import type { Account } from "../core/runs/account.ts";
import type { Emit } from "../core/runs/event.ts";
import type { RunResult } from "../core/runs/run.ts";
import type { ShardFigures } from "./figures.ts";
import { metricsText } from "./metrics.ts";
import { reportPage } from "./report-page.ts";
import { RunAccount } from "./run-account.ts";
import { verdictOf } from "./run-verdict.ts";

/** Maximum number of bytes of an earlier metrics file; a longer one is not read. */
const maxEarlierBytes = 16 * 1024 * 1024;

export interface ReportsOptions {
  /** The path of the report. */
  readonly report?: string | undefined;
  /** The path of the metrics. */
  readonly metrics?: string | undefined;
  /** The name of the configuration. */
  readonly name: string;
  /** Value of the label `config` of the metrics. Default: the configuration's name. */
  readonly metricsName?: string | undefined;
  /** Receives every event. */
  readonly emit: Emit;
  /** Reports that a file cannot be written after the run. */
  reportError(error: SpileError): void;
}

/** The account and the event listener of a run for its reports, and the function that writes the reports. */
export interface Reports {
  readonly account: Account;
  /** Counts an event and passes it on. */
  readonly emit: Emit;
  /** Writes the files. Returns the final result of the run: if a file cannot be written, its error replaces exit code 0. */
  writeFiles(result: RunResult, details?: ReportDetails): Promise<RunResult>;
}

export interface ReportDetails {
  /** True if options have left out jobs or datasets. */
  readonly isPartial?: boolean;
  readonly shards?: readonly ShardFigures[];
}

/** Prepares the report and the metrics of a run. Rejects with SpileError `output` if a file cannot be written. */
export async function openReports(options: ReportsOptions): Promise<Reports> {
  for (const path of [options.report, options.metrics]) if (path !== undefined) await probeFile(path);
  const account = new RunAccount();
  return {
    account,
    emit(event) {
      account.count(event);
      options.emit(event);
    },
    async writeFiles(result, details = {}) {
      let finalResult = result;
      for (const write of [writeReport, writeMetrics]) {
        try {
          const writing = write(finalResult, options, { ...details, account: account.hasBegun ? account : undefined });
          await unlessDry(writing, unwrittenError);
        } catch (error) {
          if (!(error instanceof SpileError)) throw error;
          options.reportError(error);
          if (finalResult.exitCode === exitCodes.success)
            finalResult = { ...finalResult, exitCode: error.exitCode, failure: error };
        }
      }
      return finalResult;
    },
  };
}

function unwrittenError(): SpileError {
  return new SpileError(
    "bug",
    "the report or the metrics were not written, and the process has nothing left to wait for",
  );
}

interface WriteDetails extends ReportDetails {
  /** Undefined if the run did not begin. */
  readonly account: RunAccount | undefined;
}

async function writeReport(result: RunResult, { report, name }: ReportsOptions, details: WriteDetails): Promise<void> {
  if (report === undefined) return;
  const { account, shards } = details;
  await replaceFile(report, reportPage(result, { configuration: name, account, shards }), writeOptions(result));
}

async function writeMetrics(
  result: RunResult,
  { metrics, name, metricsName = name }: ReportsOptions,
  { account, isPartial = false }: WriteDetails,
): Promise<void> {
  if (metrics === undefined) return;
  const before = await readEarlier(metrics);
  await replaceFile(
    metrics,
    metricsText(result, { config: metricsName, account, before, isPartial }),
    writeOptions(result),
  );
}

/** Returns the options for writing files. A run that was stopped does not wait for the disk, because it must end soon. */
function writeOptions(result: RunResult): { readonly durable: boolean } {
  return { durable: verdictOf(result) !== "stopped" };
}

/** Returns the text of the existing metrics file; "" if there is none, it cannot be read, is too long or is not a file. */
async function readEarlier(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true || found.size > maxEarlierBytes) return "";
  return readFile(path, "utf8").catch(() => "");
}
