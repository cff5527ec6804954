import type { Build } from "../core/requests/request.ts";
import type { PartitionTable } from "../core/runs/partitions.ts";
import type { RunOptions } from "../core/runs/run.ts";
import type { Watermarks } from "../core/runs/watermark.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import type { Value } from "../core/values/value.ts";
import type { Api, Job, RunConfig } from "../generated/configuration.ts";
import type { AnswerPolicy } from "../http/exchange/answer-policy.ts";
import type { Scroll } from "../pagination/scroll.ts";

/** The values that all jobs of a run are compiled with. */
export interface JobEnvironment {
  readonly api: Api;
  readonly config: RunConfig;
  /** The JSON pointer of each job. */
  readonly pointers: ReadonlyMap<Job, string>;
  /** The scrolls made so far, for jobs that page alike. */
  readonly scrolls: Map<string, Scroll>;
  /** Builds data requests. */
  readonly build: Build;
  /** Learns what the addresses that answers give carry. */
  readonly secrets: Secrets;
  evaluate(value: Value, contexts?: Readonly<Record<string, Value>>): Value;
  /** The watermarks of earlier runs. */
  readonly watermarks: Watermarks | undefined;
  /** The watermarks of child jobs for each parent, by the increment's key. Filled as plans are made. */
  readonly partitions: Map<string, PartitionTable>;
  /** The key that distinguishes the increments of iterations, see `iterationKeys`; "" if there are none. */
  readonly iterationKey: string;
  /** Unix seconds of the run's start. */
  readonly currentStart: number;
  /** Reason why `previousStart` cannot be right; undefined if it can. */
  readonly startDoubt: string | undefined;
  /** Makes windows; undefined where no job has some. */
  readonly calendar: typeof import("./jobs/windows.ts") | undefined;
  /** Judges the answers to jobs that have no rules for answers, neither themselves nor in a job above them. */
  readonly policy: AnswerPolicy;
  /** Number of processes that keep the rates of jobs together. */
  readonly processes: number;
  readonly probeEnd: boolean;
  readonly maxPages: number | undefined;
  readonly remedies: RunOptions["remedies"];
  /** Whether the output keeps datasets apart. */
  readonly datasets: boolean;
  warn(message: string): void;
}
