import { existsSync } from "node:fs";
import { exitCodes, SpileError } from "../core/errors.ts";
import { Secrets } from "../core/redact.ts";
import { reportBug } from "./bug.ts";
import type { CommandEnvironment } from "./command.ts";
import type { Options } from "./option-table.ts";
import { type Invocation, parseArguments } from "./options.ts";
import { exit, watchSignals } from "./output.ts";
import { progressLine } from "./progress.ts";
import { createReport, type Report } from "./report.ts";

/** Runs the command line and ends the process with its exit code (contract C-9.1), once all output has been taken. */
export async function main(words: readonly string[]): Promise<never> {
  const controller = new AbortController();
  const secrets = new Secrets();
  let report = openReport({}, secrets);
  let debug = words.includes("--debug");
  // Failed writes come back to whoever wrote; nobody else is to fall over them. A closed stderr is no fault at all.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  process.on("uncaughtException", (error) => void fail(error));
  watchSignals((reason) => controller.abort(reason));

  async function fail(error: unknown): Promise<never> {
    if (error instanceof SpileError) {
      report.fault(error);
      return exit(error.exitCode);
    }
    reportBug(error, { report, secrets, debug });
    return exit(exitCodes.bug);
  }

  try {
    const invocation = parseArguments(words, existsSync);
    report = openReport(invocation.options, secrets);
    debug = invocation.options.debug ?? false;
    const code = await dispatch(invocation, {
      options: invocation.options,
      signal: controller.signal,
      secrets,
      report,
    });
    return await exit(code);
  } catch (error) {
    return fail(controller.signal.aborted ? controller.signal.reason : error);
  }
}

/** Each command's code is loaded when it is asked for. */
async function dispatch({ command, config, words }: Invocation, environment: CommandEnvironment): Promise<number> {
  switch (command) {
    case "run":
      return (await import("./commands/run.ts")).runCommand(config ?? "-", environment);
    case "check":
      return (await import("./commands/check.ts")).checkCommand(config ?? "-", environment);
    case "plan":
      return (await import("./commands/plan.ts")).planCommand(config ?? "-", environment);
    case "demo":
      return (await import("./commands/demo.ts")).demoCommand(environment);
    case "schema":
      return (await import("./commands/schema.ts")).schemaCommand();
    default:
      return (await import("./commands/help.ts")).helpCommand(command, words);
  }
}

function openReport(options: Options, secrets: Secrets): Report {
  const format = options["log-format"] ?? "text";
  const { stderr, stdout, env } = process;
  const terminal = stderr.isTTY === true && env.TERM !== "dumb";
  const wanted = options.progress ?? "auto";
  const shown = wanted === "always" || (wanted === "auto" && terminal && stdout.isTTY !== true);
  const progress = shown && format === "text" && options.quiet !== true ? progressLine(stderr) : undefined;
  return createReport({
    write: (text) => void stderr.write(text),
    format,
    verbosity: options.quiet ? "quiet" : options.verbose ? "verbose" : "normal",
    color: terminal && options["no-color"] !== true && (env.NO_COLOR ?? "") === "",
    strict: options.strict ?? false,
    secrets,
    progress,
  });
}
