import type { Agent } from "node:http";
import type { Writable } from "node:stream";
import type { SpileError } from "../errors.ts";
import type { Remedies } from "../field-name.ts";
import type { Transport } from "../requests/transport.ts";
import type { Secrets } from "../secrets/redact.ts";
import type { Account } from "./account.ts";
import type { Emit } from "./event.ts";
import type { Verdict } from "./page.ts";
import type { Watermarks } from "./watermark.ts";

/**
 * The target of the lines. A file, or the files of a folder, get their names only when the run has succeeded. `singer`: lines are
 * written to a stream as Singer messages.
 */
export type Target =
  | { readonly kind: "stream"; readonly stream: Writable }
  | { readonly kind: "singer"; readonly stream: Writable }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "folder"; readonly path: string };

/** Keeps the state of runs in a place that a program chooses. A state is a whole JSON document, as in a state file. */
export interface StateStore {
  /** Returns the last text that `save` received; undefined, null or "" before the first run. */
  load(): string | undefined | null | Promise<string | undefined | null>;
  /** Keeps the state of a run that has succeeded or failed. Called at most once for each run. */
  save(document: string): unknown;
}

/** The options of a run, in addition to its configuration. An absent option has the default of the command line. */
export interface RunOptions {
  readonly target: Target;
  /** Aborted with a SpileError of kind `interrupted` or `terminated` as its reason. */
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly secrets: Secrets;
  /** Variables in which proxies are looked up; `process.env` if absent. */
  readonly variables?: NodeJS.ProcessEnv | undefined;
  /** Data types, endpoints or ids of the jobs to run, which may be child jobs. An unknown one is a usage error. */
  readonly jobs?: readonly string[] | undefined;
  /** Datasets to write, as a catalog names them; only jobs that lead to them run. An unknown one is an error. */
  readonly datasets?: ReadonlySet<string> | undefined;
  /** True to write lines as `{"dataType": ..., "record": ...}`. */
  readonly tag?: boolean | undefined;
  /** Maximum number of lines of the whole run. It is exact: no page goes beyond it. */
  readonly maxRecords?: number | undefined;
  /** Path of a key: a record whose key was written before in its job is dropped (`--unique`, contract C-10.7). */
  readonly unique?: string | undefined;
  /** Maximum number of keys that `unique` remembers for a job. Default: 10 million, which take at most 300 MB. */
  readonly uniqueLimit?: number | undefined;
  /** Longest time of the whole run, in milliseconds. */
  readonly maxTime?: number | undefined;
  /** True to run each job, including child jobs, only once: see `sampled`. */
  readonly sample?: boolean | undefined;
  /** Maximum number of pages of each job. Every page is written whole. */
  readonly maxPages?: number | undefined;
  readonly strict?: boolean | undefined;
  readonly keepGoing?: boolean | undefined;
  readonly probeEnd?: boolean | undefined;
  /** True to emit a `request` event for every request. */
  readonly debug?: boolean | undefined;
  /** Maximum number of bytes of a page's lines that wait until the page is known to be good. Default: 8 MiB. */
  readonly hold?: number | undefined;
  readonly maxResponseBytes?: number | undefined;
  readonly maxRecordBytes?: number | undefined;
  /** Maximum number of bytes of a key or a watched value. Default: 1 MiB. */
  readonly maxStringBytes?: number | undefined;
  readonly maxDepth?: number | undefined;
  /** Longest wait between two attempts, in milliseconds. Default: 15 minutes. */
  readonly maxWait?: number | undefined;
  /**
   * Maximum number of concurrent pages; "auto" to find the number during the run. Default: 1. Overrides
   * `api.pagination.concurrency`.
   */
  readonly concurrency?: number | "auto" | undefined;
  /** Maximum number of requests per second to one origin. Overrides `api.http.rateLimit`. */
  readonly rate?: number | undefined;
  /** Called with the number of bytes of every decoded piece of a body. */
  readonly received?: ((bytes: number) => void) | undefined;
  /** Number of processes that run the jobs together and share their rates. Default: 1. */
  readonly processes?: number | undefined;
  /**
   * Returns the wait before the n-th retry (from 1), in milliseconds. Default: 1, 2, 4, ... 512 s. It also limits the waits between
   * the requests of a step. It is meant for tests.
   */
  readonly backoff?: ((retry: number) => number) | undefined;
  /** The terms in which messages name a remedy. Default: fields of the configuration. */
  readonly remedies?: Remedies | undefined;
  /** Measures how the run spends its time. */
  readonly account?: Account | undefined;
  /** Headers of all requests to trusted origins. Headers of a job take precedence. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Returns the agent for an address; undefined to use an agent of the run. */
  readonly agent?: ((address: URL) => Agent | undefined) | undefined;
  /** Carries the requests of the run to the network, or answers them itself. */
  readonly transport?: Transport | undefined;
  /** The clock of expressions, lifetimes and limits, in Unix milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** False to never wait before a retry or between requests, because the answers do not come from a network. */
  readonly waits?: boolean | undefined;
  /** The file of credentials that logins change (`remember`). No other run may use it at the same time. */
  readonly credentials?: string | undefined;
  /**
   * The state file, or an object that keeps the state elsewhere, such as in a database. No other run may use a file at the same time;
   * any other place is not locked.
   */
  readonly state?: string | StateStore | undefined;
  /** The file for the new state, the progress and the lock; `state` is then only read. Default: `state` itself. */
  readonly stateOut?: string | undefined;
  /**
   * True to continue where the last run with this `state` was interrupted. With true or false, the state keeps the progress of
   * this run; with undefined it keeps none.
   */
  readonly resume?: boolean | undefined;
}

/** The first words of the reason of a job that did not begin. */
export const notRun = "not run";

/** The result of a job for one of its datasets. */
export interface JobResult {
  /** The job's label: its data type, else its endpoint as written. */
  readonly job: string;
  readonly dataType: string;
  /** The dataset of the parent job; absent for a top-level job. */
  readonly parent?: string | undefined;
  readonly verdict: Verdict["kind"] | "failed";
  readonly reason: string;
  /** True if the job was cut short by `--max-records` or `--max-pages`, not by the configuration. */
  readonly byCommand?: boolean | undefined;
  readonly pages: number;
  /** Number of lines written. */
  readonly records: number;
  /** Number of records dropped by `unique`; absent without it. */
  readonly duplicates?: number | undefined;
  /** Number of records left out because they come before the increment's start; absent if there are none. */
  readonly filtered?: number | undefined;
  /** Number of parents for which a child job failed and the job continued (`keepGoing`); absent if there are none. */
  readonly failedParents?: number | undefined;
  /** Number of bytes of the bodies after decoding. */
  readonly bytes: number;
  readonly requests: number;
  readonly retries: number;
  readonly logins: number;
  /** Number of windows that were run; absent for jobs without windows. */
  readonly windows?: number | undefined;
  /** The total that the API reported. */
  readonly expected?: number | undefined;
}

/**
 * Returns whether all jobs read everything that the configuration asks for. Only then does the time in the state move (contract
 * C-11.8).
 */
export function areFinished(results: readonly JobResult[]): boolean {
  return results.every(({ verdict, byCommand }) => (verdict === "complete" || verdict === "limited") && !byCommand);
}

export interface RunResult {
  readonly exitCode: number;
  /** The first failure. */
  readonly failure: SpileError | undefined;
  readonly records: number;
  readonly jobs: readonly JobResult[];
  /** Number of jobs that were not begun and are not in `jobs`, which lists a thousand of them for each iteration. */
  readonly unlistedJobs?: number | undefined;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Paths of the files that contain the lines instead of the files of `target`, because a job is suspect under `strict`. */
  readonly suspectFiles?: readonly string[] | undefined;
}

/** The start of a run, and of the last run that got everything (0 if there was none), in Unix seconds. */
export interface RunTime {
  readonly currentStart: number;
  readonly previousStart: number;
  /** Watermarks of earlier runs; absent if there were none. */
  readonly watermarks?: Watermarks | undefined;
}

/** Returns the time of a run without a state. `now`: Unix milliseconds. */
export function timeWithoutState(now: number = Date.now()): RunTime {
  return { currentStart: Math.floor(now / 1000), previousStart: 0 };
}

/** Settings that logins have changed. They override all others. */
export interface RememberedSettings {
  readonly settings: ReadonlyMap<string, string>;
  /**
   * Reserves disk space for the new values of a login, before it is sent. Each login has its own space until it stores values.
   * Rejects with SpileError `output`.
   */
  reserve(login: string): Promise<void>;
  /** Stores new values. Resolves when they are on the disk: only then may the credentials that came with them be used. */
  remember(login: string, values: ReadonlyMap<string, string>): Promise<void>;
}

/** Returns whether lines are written to files, which can be shortened and get their names at the end. */
export function isToFiles(target: Target): target is Extract<Target, { readonly path: string }> {
  return target.kind === "file" || target.kind === "folder";
}

/** Returns whether the output separates datasets. Then each `Lines` object must contain lines of one dataset only. */
export function separatesDatasets({ kind }: Target): boolean {
  return kind === "folder" || kind === "singer";
}
