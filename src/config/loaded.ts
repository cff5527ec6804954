import type { Fault } from "../core/errors.ts";
import type { Configuration, Job, RunConfig } from "../generated/configuration.ts";
import type { Settings } from "./settings.ts";

/** A configuration read and checked. */
export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** The settings of each run: one an iteration; one if there are none. */
  readonly runs: readonly Settings[];
  /** `config` of each run, an iteration's keys in it. Its jobs are those to run: see `distinctJobs`. */
  readonly configs: readonly RunConfig[];
  /** Where each job, of child jobs too, stands in the file. */
  readonly pointers: ReadonlyMap<Job, string>;
  /** Names of the environment variables that settings were read from, by the setting. */
  readonly variables: ReadonlyMap<string, string>;
  readonly warnings: readonly Fault[];
  /** What `check` says beside the warnings. */
  readonly hints: readonly Fault[];
}
