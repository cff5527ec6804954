import { existsSync } from "node:fs";
import type { Writable } from "node:stream";
import type { CommandEnvironment } from "../../src/cli/command.ts";
import { runOptions } from "../../src/cli/commands/run.ts";
import { interpret } from "../../src/cli/load.ts";
import { parseArguments } from "../../src/cli/options.ts";
import { createReport } from "../../src/cli/report.ts";
import { SpileError } from "../../src/core/errors.ts";
import { Secrets } from "../../src/core/redact.ts";
import type { RunOptions } from "../../src/core/run.ts";
import { run } from "../../src/pipeline/run.ts";
import { type Finished, spile } from "./cli.ts";
import { collector } from "./run.ts";

/** What the command is to be started for, and what within this process would end it. */
const forProcesses = new Set(["max-time", "summary"]);

export interface HereOptions {
  readonly stdin: string;
  /** Waits before a retry are those of the product; a millisecond where absent. */
  readonly waits?: boolean;
}

/**
 * Does within this process what `spile - OPTIONS` does: the same options, configuration, run and lines on stderr. A
 * twentieth of the cost of a process, for all that is not about one.
 */
export async function spileHere(options: readonly string[], { stdin, waits = false }: HereOptions): Promise<Finished> {
  const invocation = parseArguments(["-", ...options], existsSync);
  if (Object.keys(invocation.options).some((name) => forProcesses.has(name)))
    return spile(["-", ...options], { stdin });
  const secrets = new Secrets();
  const stdout = collector();
  let stderr = "";
  const report = createReport({
    write: (text) => {
      stderr += text;
    },
    format: invocation.options["log-format"] ?? "text",
    verbosity: invocation.options.quiet ? "quiet" : invocation.options.verbose ? "verbose" : "normal",
    color: false,
    strict: invocation.options.strict ?? false,
    secrets,
  });
  const signal = new AbortController().signal;
  const environment: CommandEnvironment = { options: invocation.options, signal, secrets, report };
  const backoff = waits ? undefined : () => 1;
  const code = await runHere(stdin, environment, { stream: stdout.stream, backoff });
  return { code, signal: null, stdout: stdout.text(), stderr };
}

async function runHere(
  stdin: string,
  environment: CommandEnvironment,
  { stream, backoff }: { readonly stream: Writable; readonly backoff: RunOptions["backoff"] },
): Promise<number> {
  const options = runOptions(environment);
  const target = options.target.kind === "stream" ? ({ kind: "stream", stream } as const) : options.target;
  try {
    const loaded = interpret(stdin, "stdin", environment);
    const result = await run(loaded, { ...options, target, backoff });
    if (result.failure?.kind === "bug") throw result.failure;
    environment.report.summary(result);
    return result.exitCode;
  } catch (error) {
    if (!(error instanceof SpileError) || error.kind === "bug") throw error;
    environment.report.fault(error);
    return error.exitCode;
  }
}
