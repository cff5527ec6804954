import type { Build } from "../core/requests/request.ts";
import type { PartitionTable } from "../core/runs/partitions.ts";
import type { RunOptions } from "../core/runs/run.ts";
import type { Watermarks } from "../core/runs/watermark.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import type { Value } from "../core/values/value.ts";
import type { Api, Job, RunConfig } from "../generated/configuration.ts";
import type { AnswerPolicy } from "../http/exchange/answer-policy.ts";
import type { Scroll } from "../pagination/scroll.ts";

/** The values with which all jobs of a run are compiled. */
export interface JobEnvironment {
  readonly api: Api;
  readonly config: RunConfig;
  /** The JSON pointer of each job. */
  readonly pointers: ReadonlyMap<Job, string>;
  /** The scrolls made so far. Jobs with the same paging share one. */
  readonly scrolls: Map<string, Scroll>;
  /** Builds data requests. */
  readonly build: Build;
  /** The secrets of the run. Credentials in addresses from answers are added to them. */
  readonly secrets: Secrets;
  evaluate(value: Value, contexts?: Readonly<Record<string, Value>>): Value;
  /** The watermarks of earlier runs. */
  readonly watermarks: Watermarks | undefined;
  /** Tables with the watermark for each parent, by the increment's key. `incrementOf` adds the table of a child job. */
  readonly partitions: Map<string, PartitionTable>;
  /** The key of the iteration (`iterationKeys`); "" if there are no iterations, or if no job has an increment. */
  readonly iterationKey: string;
  /** Unix seconds of the run's start. */
  readonly currentStart: number;
  /** The reason why `previousStart` cannot be right; undefined if it may be right. */
  readonly startDoubt: string | undefined;
  /** Makes windows; undefined if no job has windows. */
  readonly calendar: typeof import("./jobs/windows.ts") | undefined;
  /** Policy for the answers to a job if neither the job nor a job above it has rules. */
  readonly policy: AnswerPolicy;
  /** Number of processes that share the rates of jobs. */
  readonly processes: number;
  readonly probeEnd: boolean;
  readonly maxPages: number | undefined;
  readonly remedies: RunOptions["remedies"];
  /** True with `--tag`, or if the target keeps the lines of different datasets apart. */
  readonly separatesDatasets: boolean;
  warn(message: string): void;
}
