import { hyphenated, sharedNames } from "../config/shared-options.ts";
import type { RunOptions, Target } from "../core/runs/run.ts";
import type { Reports } from "../report/reports.ts";
import type { CommandEnvironment } from "./command.ts";
import { createCollector } from "./young-buffers.ts";

/** Returns the options of a run, as the command line gives them. */
export function runOptions(environment: CommandEnvironment): RunOptions {
  const { options, variables, signal, backoff, secrets, report, remedies } = environment;
  const shared = Object.fromEntries(sharedNames.map((name) => [name, options[hyphenated(name)]]));
  return {
    target: targetOf(environment),
    signal,
    backoff,
    emit: report.emit,
    secrets,
    variables,
    remedies,
    jobs: options.job,
    ...shared,
    resume: options.resume ?? false,
    received: createCollector(),
  };
}

export function targetOf({ options, stdout }: CommandEnvironment): Target {
  const { output, split, singer } = options;
  if (singer) return { kind: "singer", stream: stdout };
  if (output !== undefined && output !== "-") return { kind: "file", path: output };
  if (split !== undefined) return { kind: "folder", path: split };
  return { kind: "stream", stream: stdout };
}

/** Opens the reports of `--report` and `--metrics`; undefined if neither is given. */
export async function reportsFor({ options, report }: CommandEnvironment, name: string): Promise<Reports | undefined> {
  const { report: page, metrics, "metrics-name": metricsName } = options;
  if (page === undefined && metrics === undefined) return undefined;
  const { openReports } = await import("../report/reports.ts");
  return openReports({ report: page, metrics, name, metricsName, emit: report.emit, reportError: report.fault });
}
