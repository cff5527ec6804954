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
 * The output of the lines. A file or a folder's files appear under their names only when the run has succeeded. `singer`: to a
 * stream, as messages of the Singer specification.
 */
export type Target =
  | { readonly kind: "stream"; readonly stream: Writable }
  | { readonly kind: "singer"; readonly stream: Writable }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "folder"; readonly path: string };

/** Keeps the state of runs in a place of a program's own. A state is a whole JSON document, as a state file holds it. */
export interface StateStore {
  /** Returns the text that `save` was given last; undefined, null or "" before the first run. */
  load(): string | undefined | null | Promise<string | undefined | null>;
  /** Keeps the state of a run that has ended, well or not. Called at most once a run. */
  save(document: string): unknown;
}

/** The options of a run beside the configuration. An absent one has the default of the command. */
export interface RunOptions {
  readonly target: Target;
  /** Aborted with a SpileError of kind `interrupted` or `terminated` as its reason. */
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly secrets: Secrets;
  /** Variables in which proxies are looked up; `process.env` if absent. */
  readonly variables?: NodeJS.ProcessEnv | undefined;
  /** Data types, endpoints or ids of the jobs to run, child jobs too; an unknown one is a usage error. */
  readonly jobs?: readonly string[] | undefined;
  /** Only these datasets, as a catalog names them, and the jobs that lead to them; an unknown one is an error. */
  readonly datasets?: ReadonlySet<string> | undefined;
  /** Write `{"dataType": ..., "record": ...}` lines. */
  readonly tag?: boolean | undefined;
  /** Lines of the whole run, exactly. */
  readonly maxRecords?: number | undefined;
  /** Path of a key: a record whose key was written before in its job is dropped (`--unique`, contract C-10.7). */
  readonly unique?: string | undefined;
  /** The most keys of a job that `unique` remembers; one more is an error. Default 10 million, at most 300 MB. */
  readonly uniqueLimit?: number | undefined;
  /** The longest the whole run may take, in milliseconds. */
  readonly maxTime?: number | undefined;
  /** Only one run of each job, child jobs included: see `sampled`. */
  readonly sample?: boolean | undefined;
  /** Whole pages of each job. */
  readonly maxPages?: number | undefined;
  readonly strict?: boolean | undefined;
  readonly keepGoing?: boolean | undefined;
  readonly probeEnd?: boolean | undefined;
  /** Emit a `request` event for every request sent. */
  readonly debug?: boolean | undefined;
  /** Bytes of a page's lines that wait until the page is known to be good; default 8 MiB. */
  readonly hold?: number | undefined;
  readonly maxResponseBytes?: number | undefined;
  readonly maxRecordBytes?: number | undefined;
  /** Bytes of a key or a watched value; default 1 MiB. */
  readonly maxStringBytes?: number | undefined;
  readonly maxDepth?: number | undefined;
  /** Longest wait between two attempts, in milliseconds; default 15 minutes. */
  readonly maxWait?: number | undefined;
  /** Pages in flight side by side; default 1. "auto": found while running. Wins over `api.pagination.concurrency`. */
  readonly concurrency?: number | "auto" | undefined;
  /** Requests per second to one origin. Wins over `api.http.rateLimit`. */
  readonly rate?: number | undefined;
  /** Called with the size of every decoded piece of a body. */
  readonly received?: ((bytes: number) => void) | undefined;
  /** Number of processes that run the jobs together, and keep the rates of jobs so; default 1. */
  readonly processes?: number | undefined;
  /**
   * The wait before the n-th retry (from 1), in milliseconds; default 1, 2, 4, ... 512 s. A step is not waited for longer either.
   * Not for users: tests shorten it.
   */
  readonly backoff?: ((retry: number) => number) | undefined;
  /** The words in which messages name a remedy. Default: fields of the configuration. */
  readonly remedies?: Remedies | undefined;
  /** Keeps account of where the time of the run goes. */
  readonly account?: Account | undefined;
  /** Headers of all requests to trusted origins; those of a job win. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Returns the agent for an address; undefined: one of the run's own. */
  readonly agent?: ((address: URL) => Agent | undefined) | undefined;
  /** Stands between the run and the network. */
  readonly transport?: Transport | undefined;
  /** The clock of expressions, lifetimes and limits, in Unix milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** False: no wait before a retry or between requests, where the answers do not come from a network. */
  readonly waits?: boolean | undefined;
  /** The file of credentials that logins change (`remember`). No other run may use it meanwhile. */
  readonly credentials?: string | undefined;
  /**
   * The state file, or an object that keeps the state elsewhere, such as in a database. No other run may use a file meanwhile;
   * nothing locks another place.
   */
  readonly state?: string | StateStore | undefined;
  /** The file that takes the new state, progress and lock; `state` is only read then. Absent: `state` itself. */
  readonly stateOut?: string | undefined;
  /**
   * Go on where the last run with this `state` was interrupted. True or false, the progress of this run is kept in the
   * state; undefined, none is.
   */
  readonly resume?: boolean | undefined;
}

/** The beginning of the reason of a job that was not begun. */
export const notRun = "not run";

/** The end of one dataset of a job. */
export interface JobResult {
  /** The job's label: its data type, else its endpoint as written. */
  readonly job: string;
  readonly dataType: string;
  /** The dataset of the job above; absent for a top-level job. */
  readonly parent?: string | undefined;
  readonly verdict: Verdict["kind"] | "failed";
  readonly reason: string;
  /** Cut short by `--max-records` or `--max-pages`, not by the configuration. */
  readonly byCommand?: boolean | undefined;
  readonly pages: number;
  /** Lines written. */
  readonly records: number;
  /** Records dropped by `unique`; absent without it. */
  readonly duplicates?: number | undefined;
  /** Number of records left out because they come before the increment's start; absent if there are none. */
  readonly filtered?: number | undefined;
  /** Parent records for which a child job failed while it continued with the others (`keepGoing`); absent if there are none. */
  readonly failedParents?: number | undefined;
  /** Bytes of the bodies after decoding. */
  readonly bytes: number;
  readonly requests: number;
  readonly retries: number;
  readonly logins: number;
  /** Windows that were run; absent for jobs without. */
  readonly windows?: number | undefined;
  /** The total the API reported. */
  readonly expected?: number | undefined;
}

/** Returns whether jobs with these results have left nothing for a later run. Then the time of a state moves (contract C-11.8). */
export function areDone(results: readonly JobResult[]): boolean {
  return results.every(({ verdict, byCommand }) => (verdict === "complete" || verdict === "limited") && !byCommand);
}

export interface RunResult {
  readonly exitCode: number;
  /** The first failure. */
  readonly failure: SpileError | undefined;
  readonly records: number;
  readonly jobs: readonly JobResult[];
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Paths of the files that took the lines in place of those of `target`, as a job is suspect under `strict`. */
  readonly suspectFiles?: readonly string[] | undefined;
}

/** When a run began, and the last one that got everything (0: none), in Unix seconds. */
export interface RunTime {
  readonly currentStart: number;
  readonly previousStart: number;
  /** Watermarks of earlier runs; absent if there were none. */
  readonly watermarks?: Watermarks | undefined;
}

/** The time of what goes by no state. `now` in Unix milliseconds. */
export function timeWithoutState(now: number = Date.now()): RunTime {
  return { currentStart: Math.floor(now / 1000), previousStart: 0 };
}

/** Settings that logins have changed; they win over all others. */
export interface RememberedSettings {
  readonly settings: ReadonlyMap<string, string>;
  /** Makes room for new values, before the login that gives them is sent. Rejects with SpileError `output`. */
  reserve(): Promise<void>;
  /** Keeps new values. Resolves once they are on the disk: only then may what came with them be used. */
  remember(values: ReadonlyMap<string, string>): Promise<void>;
}

/** Returns whether lines are written to files, which can be cut back and get their names in the end. */
export function isToFiles(target: Target): target is Extract<Target, { readonly path: string }> {
  return target.kind === "file" || target.kind === "folder";
}

/** Returns whether the output keeps datasets apart, so that one piece may not hold lines of several. */
export function isApart({ kind }: Target): boolean {
  return kind === "folder" || kind === "singer";
}
