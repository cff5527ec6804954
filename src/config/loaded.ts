import type { Fault } from "../core/errors.ts";
import type { Configuration, Job, RunConfig } from "../generated/configuration.ts";
import type { Settings } from "./settings.ts";

/** The configuration of one pass over all jobs. */
export interface LoadedIteration {
  /** `config`, in which the keys of the iteration replace equal ones. Its jobs are those that `distinctJobs` returns. */
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
  /** The environment variable that each setting or certificate refers to, by the name of the setting or certificate. */
  readonly variables: ReadonlyMap<string, string>;
  /** True if stand-in texts replace unset variables and unreadable files. A function may then find nothing in such a text. */
  readonly hasStandIns: boolean;
  readonly warnings: readonly Fault[];
  /** Hints that `check` gives in addition to the warnings. */
  readonly hints: readonly Fault[];
}
