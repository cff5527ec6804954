import { ConfigurationError, exitCodes, faultLine, messageOf, SpileError } from "../core/errors.ts";
import type { Emit, Level, RunEvent } from "../core/runs/event.ts";
import { type JobResult, notRun, type RunResult } from "../core/runs/run.ts";
import { bytesText, counted } from "../core/text/counted.ts";
import { printable } from "../core/text/printable.ts";
import type { ProgressLine } from "./progress-line.ts";

/** Masks the secrets of a run in a text before it is printed. */
export interface Masking {
  mask(text: string): string;
}

export interface ReportOptions {
  readonly write: (text: string) => void;
  readonly format: "text" | "json";
  readonly verbosity: "quiet" | "normal" | "verbose";
  readonly color: boolean;
  /** True if a suspect result is an error. */
  readonly strict: boolean;
  readonly secrets: Masking;
  readonly progress?: ProgressLine | undefined;
}

/** The fields of a note, for programs that read the log. */
export interface NoteFields {
  readonly event: string;
  readonly message: string;
  readonly [name: string]: string;
}

/** Writes everything that a run prints on stderr (contract C-10). */
export interface Report {
  readonly emit: Emit;
  /** Prints a failure before or outside of a run, with one line for each fault of a configuration. */
  fault(error: unknown): void;
  /** Prints lines for people, except in quiet runs. With `--log-format json` it prints `fields` instead, if there are any. */
  note(text: string, fields?: NoteFields): void;
  /**
   * Prints a line for each job that says how it ended; nothing if the reader has closed the pipe. In JSON, the events `job.end`
   * and `run.end` say the same.
   */
  summary(result: RunResult): void;
}

/** Events that only `-v` shows. A `request` event needs no `-v`, since only `--debug` emits it. */
const verboseEvents: ReadonlySet<string> = new Set(["run.start", "login", "step", "retry", "wait", "page"]);

export function createReport(options: ReportOptions): Report {
  const line = options.format === "json" ? jsonLine : (event: RunEvent) => textLine(event, options.color);

  function write(text: string): void {
    options.progress?.clear();
    options.write(text);
  }

  function isShown({ event, level, exitCode }: RunEvent): boolean {
    if (exitCode === exitCodes.closedPipe) return false;
    if (options.verbosity === "quiet") return level === "error" && event !== "job.end" && event !== "run.end";
    if (event === "job.end" || event === "run.end") return options.format === "json";
    // The progress line already shows a wait and its remaining time.
    const isWait = event === "retry" || event === "wait";
    if (isWait && options.progress !== undefined && options.verbosity === "normal") return false;
    return level === "error" || level === "warning" || options.verbosity === "verbose" || !verboseEvents.has(event);
  }

  function emit(event: RunEvent): void {
    options.progress?.count(event);
    if (isShown(event)) write(line(event));
  }

  return {
    emit,
    fault(error) {
      for (const event of faultEvents(error)) {
        emit({ ...event, message: printable(options.secrets.mask(event.message)) });
      }
    },
    note(text, fields) {
      if (options.verbosity === "quiet") return;
      if (options.format === "text") write(text);
      else if (fields !== undefined) write(jsonText("info", fields));
    },
    summary(result) {
      options.progress?.stop();
      if (options.format === "json" || result.exitCode === exitCodes.closedPipe) return;
      const lines = result.jobs.flatMap((job) => {
        const level = summaryLevel(job, options.strict);
        // The error of a failed job was printed already, and quiet runs print nothing else.
        if (options.verbosity === "quiet" && (level !== "error" || job.verdict === "failed")) return [];
        return textLine({ event: "job.end", level, message: summaryText(job) }, options.color);
      });
      const { unlistedJobs = 0 } = result;
      if (unlistedJobs > 0 && options.verbosity !== "quiet") {
        const message = `${counted(unlistedJobs, "further job")} not run`;
        lines.push(textLine({ event: "job.end", level: "info", message }, options.color));
      }
      // One write for all lines, since each write is a system call.
      if (lines.length > 0) write(lines.join(""));
    },
  };
}

function faultEvents(error: unknown): RunEvent[] {
  const base = { event: "error", level: "error" } as const;
  if (error instanceof ConfigurationError) {
    return error.faults.map((fault) => ({ ...base, message: faultLine(fault), exitCode: error.exitCode }));
  }
  if (!(error instanceof SpileError)) return [{ ...base, message: messageOf(error) }];
  const { pointer } = error;
  const message = pointer === undefined ? error.message : faultLine({ pointer, message: error.message });
  return [{ ...base, message, job: error.job, page: error.page, exitCode: error.exitCode }];
}

function summaryLevel(job: JobResult, strict: boolean): Level {
  if (job.verdict === "failed") return "error";
  if (job.verdict !== "suspect") return "info";
  return strict ? "error" : "warning";
}

function summaryText(job: JobResult): string {
  const figures = [
    isAll(job) ? `${job.records} of ${counted(job.records, "record")}` : counted(job.records, "record"),
    counted(job.pages, "page"),
    bytesText(job.bytes),
    ...(job.retries > 0 ? [job.retries === 1 ? "1 retry" : `${job.retries} retries`] : []),
  ];
  return `${printable(job.job)} ${job.verdict}: ${figures.join(", ")}${closingReason(job)}`;
}

/**
 * Returns the reason in brackets; "" if the error of a failed job already gave it. The number of failed parents is always shown.
 */
function closingReason({ verdict, reason, failedParents }: JobResult): string {
  if (failedParents !== undefined) return ` (${reason.replace(/ failed: .*/s, " failed")})`;
  return verdict === "failed" && !reason.startsWith(notRun) ? "" : ` (${reason})`;
}

/** Returns whether the number of records equals the total that the API reports. */
function isAll({ verdict, records, expected }: JobResult): boolean {
  return verdict === "complete" && records > 0 && records === expected;
}

const colors: Readonly<Record<Level, string>> = { debug: "2", info: "32", warning: "33", error: "31" };

function textLine({ level, message, job, window, page }: RunEvent, color: boolean): string {
  const where = [
    job === undefined ? undefined : printable(job),
    window,
    page === undefined ? undefined : `page ${page}`,
  ]
    .filter((part) => part !== undefined)
    .join(" ");
  const shownLevel = color ? `\u001b[${colors[level]}m${level}\u001b[0m` : level;
  return `${shownLevel} ${where === "" ? "" : `${where}: `}${message}\n`;
}

/** Returns the line of an event, with its fields in a fixed order and without absent ones. */
function jsonLine({ level, ...fields }: RunEvent): string {
  return jsonText(level, fields);
}

function jsonText(level: Level, { event, message, ...fields }: Omit<RunEvent, "level"> | NoteFields): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, event, message, ...fields })}\n`;
}
