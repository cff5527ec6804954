import type { Fault } from "../core/errors.ts";
import type { Configuration, Job, RunConfig } from "../generated/configuration.ts";
import type { Settings } from "./settings.ts";

/** What one pass over all jobs goes by. */
export interface LoadedIteration {
  /** `config` with the iteration's keys in it. Its jobs are those to run: see `distinctJobs`. */
  readonly config: RunConfig;
  readonly settings: Settings;
}

/** A configuration read and checked. */
export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** One for each entry of `iterations`; one alone where there are none. */
  readonly iterations: readonly LoadedIteration[];
  /** Where each job, of child jobs too, stands in the file. */
  readonly pointers: ReadonlyMap<Job, string>;
  /** Names of the environment variables that settings were read from, by the setting. */
  readonly variables: ReadonlyMap<string, string>;
  /** Texts stand in for variables that are not set, so that functions over them may find nothing. */
  readonly hasStandIns: boolean;
  readonly warnings: readonly Fault[];
  /** What `check` says beside the warnings. */
  readonly hints: readonly Fault[];
}
