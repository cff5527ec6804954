import type { Secrets } from "../core/redact.ts";
import type { Options } from "./option-table.ts";
import type { Report } from "./report.ts";

/** What every command is given. Commands answer their exit code, or throw. */
export interface CommandEnvironment {
  readonly options: Options;
  /** What `{"env": "NAME"}` and proxies are looked up in. */
  readonly variables: NodeJS.ProcessEnv;
  /** Aborted by SIGINT and SIGTERM, with a SpileError as its reason. */
  readonly signal: AbortSignal;
  readonly secrets: Secrets;
  readonly report: Report;
}
