import type { Readable, Writable } from "node:stream";
import type { RunOptions } from "../core/runs/run.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import type { Options } from "./option-table.ts";
import type { Report } from "./report.ts";

/** An output stream of a process. It may be a terminal. */
export type Outlet = Writable & {
  readonly fd?: number | undefined;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** The parts of a process that a command line uses. A test may replace them. */
export interface CommandLineOptions {
  /** Returns stdin. It is called only by a command that reads stdin, because the call opens it. */
  readonly stdin: () => Readable;
  readonly stdout: Outlet;
  readonly stderr: Outlet;
  readonly env: NodeJS.ProcessEnv;
  /** Aborted by SIGHUP, SIGINT and SIGTERM, with a SpileError as its reason. */
  readonly signal: AbortSignal;
  /** A promise that rejects with an uncaught error, or with the reason of a signal if the command does not end in time. */
  readonly uncaught: Promise<never>;
  /** Returns the wait before a retry. Tests shorten it. Default: that of a run. */
  readonly backoff?: RunOptions["backoff"];
}

/** The environment of a command that only prints parts of the package. Commands return their exit code, or throw. */
export interface PrintingEnvironment extends Pick<CommandLineOptions, "stdout"> {
  readonly options: Options;
  /** The terms in which messages name a remedy. Default: fields of the configuration. */
  readonly remedies?: RunOptions["remedies"];
  /** Variables for `{"env": "NAME"}` and proxies. */
  readonly variables: NodeJS.ProcessEnv;
}

/** The environment of every other command. */
export interface CommandEnvironment
  extends PrintingEnvironment,
    Pick<CommandLineOptions, "stdin" | "signal" | "backoff"> {
  readonly secrets: Secrets;
  readonly report: Report;
}
