import type { Compiler } from "../compile/compile.ts";
import { asSpileError, messageOf, SpileError } from "../core/errors.ts";
import type { JobResult, RunOptions } from "../core/runs/run.ts";
import type { Moves } from "../core/runs/watermark.ts";
import type { Sink } from "../output/sink.ts";
import type { CredentialsFile } from "../resume/credentials-file.ts";
import type { Journal } from "../resume/journal.ts";
import type { Checkpoint } from "../resume/progress.ts";
import type { LineBudget } from "./line-budget.ts";
import type { Ending } from "./source/job-tally.ts";
import type { PageSourceOptions } from "./source/options.ts";
import type { PageSource } from "./source/page-source.ts";

/** A run in progress, with the parts that all its iterations share. */
export interface RunInProgress {
  readonly options: RunOptions;
  readonly journal: Journal;
  readonly sink: Sink;
  readonly budget: LineBudget;
  readonly results: JobResult[];
  /** Results of jobs that have ended without a failure, and increments that have moved so far, even in jobs that fail later. */
  readonly settled: { readonly results: JobResult[]; readonly moved: Moves };
  /** Aborted when the run is stopped, or its output fails. */
  readonly signal: AbortSignal;
  readonly ended: PageSourceOptions["ended"];
  /** Receives an increment that has moved for one parent or one window. If absent, such increments go to `settled`. */
  readonly moved: PageSourceOptions["moved"] | undefined;
  /** The first failure. */
  failure: SpileError | undefined;
  /** For each job that has failed, the last place from which it could be resumed. */
  readonly failed: Checkpoint[];
  /** Number of jobs that were left out and have no results. */
  unlistedJobs: number;
  /** Paths of the files that hold the lines of a suspect run. */
  suspectFiles: readonly string[];
  /** True if jobs or datasets are left out. */
  readonly isPartial: boolean;
  source: PageSource | undefined;
}

/** Resources that a run has opened and always closes. `awaited` describes its current wait, for messages. */
export interface OpenedRun {
  awaited: string;
  journal?: Journal;
  credentials?: CredentialsFile;
  compiler?: Compiler;
  state?: RunInProgress;
  /** The reported reason for the end of the run. */
  failure?: SpileError;
}

/** Reports and returns the error that ended the run. If the run was stopped or its output failed, work in progress is given up. */
export function failureAfter(error: unknown, opened: OpenedRun, options: RunOptions): SpileError {
  const { state } = opened;
  const { aborted, reason } = options.signal;
  const failed = state?.sink.stream.errored ?? undefined;
  const failure = report(aborted ? abortError(reason) : (failed ?? error), options);
  opened.failure = failure;
  if (state !== undefined && (aborted || failed !== undefined)) stop(state, failure);
  return failure;
}

export function close({ compiler, credentials, journal }: OpenedRun): void {
  compiler?.close();
  credentials?.close();
  journal?.close();
}

/** Gives up a hanging run. Begins to remove its unfinished files, and does not wait for the end of that. */
export function giveUp(opened: OpenedRun, options: RunOptions): SpileError {
  const failure = opened.failure ?? failureAfter(stalledError(opened), opened, options);
  void opened.state?.sink.discard();
  close(opened);
  return failure;
}

export function stalledError({ awaited, state }: OpenedRun): SpileError {
  const isWriting = state !== undefined && state.sink.stream.writableLength > 0;
  const what = isWriting ? "the output to take lines" : (pageName(state) ?? awaited);
  return new SpileError(
    "bug",
    `the run cannot continue: it waits for ${what}, but nothing is in progress that could end this wait`,
  );
}

function pageName(state: RunInProgress | undefined): string | undefined {
  const head = state?.source?.frontier.head;
  return head && `page ${head.number} of ${head.run.plan.label}`;
}

/**
 * Stops the run: nothing new begins. Jobs in progress, and ended jobs with unwritten lines, count as failed, or as limited if the
 * reader closed the pipe. A write that has begun is not interrupted.
 */
function stop({ sink, budget, journal, source, results }: RunInProgress, { kind, message }: SpileError): void {
  sink.stream.destroy();
  const handed = budget.spent - journal.records;
  let unwritten = handed - sink.records();
  const reason = message;
  const ending: Ending =
    kind === "closedPipe" ? { kind: "limited", reason, byCommand: true } : { kind: "failed", reason };
  unwritten = source?.abandon(ending, unwritten) ?? unwritten;
  for (let index = results.length - 1; index >= journal.results.length && unwritten > 0; index -= 1) {
    const result = results[index];
    if (result === undefined) break;
    const lostLines = Math.min(unwritten, result.records);
    if (lostLines === 0) continue;
    results[index] = { ...result, verdict: ending.kind, reason, records: result.records - lostLines };
    unwritten -= lostLines;
  }
}

/** Returns the reason of an abort as an error. The command line gives a SpileError, a program may give anything. */
function abortError(reason: unknown): SpileError {
  if (reason instanceof SpileError) return reason;
  return new SpileError("aborted", `the run was aborted: ${messageOf(reason)}`, { cause: reason });
}

/** Reports a failure outside the jobs. A closed pipe is not reported: the reader wants no more lines. */
function report(error: unknown, { emit }: RunOptions): SpileError {
  const failure = asSpileError(error);
  if (failure.kind !== "closedPipe") {
    emit({ event: "error", level: "error", message: failure.message, exitCode: failure.exitCode });
  }
  return failure;
}
