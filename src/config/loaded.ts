import type { Fault } from "../core/errors.ts";
import type { Configuration, Job, RunConfig } from "../generated/configuration.ts";
import type { Settings } from "./settings.ts";

/** The configuration of one pass over all jobs. */
export interface LoadedIteration {
  /** `config` with the iteration's keys in it. Its jobs are those to run: see `distinctJobs`. */
  readonly config: RunConfig;
  readonly settings: Settings;
}

/** A configuration that was read and checked. */
export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** One for each entry of `iterations`; a single one if there are none. */
  readonly iterations: readonly LoadedIteration[];
  /** JSON pointer of each job, of child jobs too. */
  readonly pointers: ReadonlyMap<Job, string>;
  /** Names of the environment variables from which settings were read, by the setting. */
  readonly variables: ReadonlyMap<string, string>;
  /** Texts replace variables that are not set, so functions over them may find nothing. */
  readonly hasStandIns: boolean;
  readonly warnings: readonly Fault[];
  /** Remarks of `check` beside the warnings. */
  readonly hints: readonly Fault[];
}
