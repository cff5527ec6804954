import type { Fault } from "../core/errors.ts";
import type { Configuration, Job, RunConfig } from "../generated/configuration.ts";
import type { Settings } from "./settings.ts";

/** The configuration of one pass over all jobs. */
export interface LoadedIteration {
  /** `config` with the keys of the iteration. It contains the jobs to run: see `distinctJobs`. */
  readonly config: RunConfig;
  readonly settings: Settings;
}

/** A configuration that was read and checked. */
export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** One element for each entry of `iterations`; a single one if there are none. */
  readonly iterations: readonly LoadedIteration[];
  /** JSON pointer of each job, including child jobs. */
  readonly pointers: ReadonlyMap<Job, string>;
  /** Names of the environment variables from which settings were read, by the name of the setting. */
  readonly variables: ReadonlyMap<string, string>;
  /** True if texts replace variables that are not set. A function may then fail to find something in such a text. */
  readonly hasStandIns: boolean;
  readonly warnings: readonly Fault[];
  /** Hints that `check` gives in addition to the warnings. */
  readonly hints: readonly Fault[];
}
