import type { LoadedConfiguration } from "../config/read.ts";
import type { RunOptions, RunResult } from "./options.ts";

/**
 * Runs all jobs of a configuration. Failures of jobs are told as `error` events and in the result's exit code; the
 * promise rejects only for a bug of ours.
 */
export async function run(_loaded: LoadedConfiguration, _options: RunOptions): Promise<RunResult> {
  throw new Error("being written");
}
