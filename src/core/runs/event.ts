import type { Verdict } from "./page.ts";

export type Level = "debug" | "info" | "warning" | "error";

/** The names of events (contract C-10.1). `error` comes before `job.end` and `run.end`. */
export type EventName =
  | "run.start"
  | "login"
  | "step"
  | "request"
  | "retry"
  | "wait"
  | "page"
  | "warning"
  | "error"
  | "job.end"
  | "run.end";

/** One event of a run. Every text in it is already masked and free of control characters. */
export interface RunEvent {
  readonly event: EventName;
  readonly level: Level;
  readonly message: string;
  readonly job?: string | undefined;
  readonly dataType?: string | undefined;
  /** The window, if the job has windows: its edges as ISO 8601, with a slash between them. */
  readonly window?: string | undefined;
  readonly page?: number | undefined;
  /** Name of a step of the job or of the login. */
  readonly step?: string | undefined;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly status?: number | undefined;
  readonly records?: number | undefined;
  readonly bytes?: number | undefined;
  /** Number of records dropped by `--unique`. */
  readonly duplicates?: number | undefined;
  readonly waitMs?: number | undefined;
  /** For a page: number of records that the job has received or skipped so far. */
  readonly reached?: number | undefined;
  /** The API's total, if it reports one. */
  readonly expected?: number | undefined;
  readonly verdict?: Verdict["kind"] | "failed" | undefined;
  readonly reason?: string | undefined;
  readonly exitCode?: number | undefined;
}

/** Returns a warning about the run as a whole. */
export function warningEvent(message: string): RunEvent {
  return { event: "warning", level: "warning", message };
}

export type Emit = (event: RunEvent) => void;
