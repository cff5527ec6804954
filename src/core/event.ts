import type { Verdict } from "./page.ts";

export type Level = "debug" | "info" | "warning" | "error";

/** Names of events (contract C-10.1). `error` tells of a failure before `job.end` and `run.end` do. */
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

/** One event of a run. Every text in it is masked already, and free of control characters. */
export interface RunEvent {
  readonly event: EventName;
  readonly level: Level;
  readonly message: string;
  readonly job?: string | undefined;
  readonly dataType?: string | undefined;
  /** Of a job with windows: which of them, as its edges in ISO 8601 with a slash between. */
  readonly window?: string | undefined;
  readonly page?: number | undefined;
  /** The name of a step, of the job or of the login. */
  readonly step?: string | undefined;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly status?: number | undefined;
  readonly records?: number | undefined;
  readonly bytes?: number | undefined;
  /** Records dropped by `--unique`. */
  readonly duplicates?: number | undefined;
  readonly waitMs?: number | undefined;
  /** Of a page: records of the API up to its end, and the total that the API tells of, where it does. */
  readonly reached?: number | undefined;
  readonly expected?: number | undefined;
  readonly verdict?: Verdict["kind"] | "failed" | undefined;
  readonly reason?: string | undefined;
  readonly exitCode?: number | undefined;
}

/** A warning of the run as a whole. */
export function warningEvent(message: string): RunEvent {
  return { event: "warning", level: "warning", message };
}

export type Emit = (event: RunEvent) => void;
