import { existsSync, fstatSync } from "node:fs";
import { exitCodes, SpileError } from "../core/errors.ts";
import { Secrets } from "../core/redact.ts";
import { type Invocation, parseArguments } from "./arguments.ts";
import { reportBug } from "./bug.ts";
import type { CommandEnvironment } from "./command.ts";
import type { Options } from "./option-table.ts";
import { exit, watchSignals } from "./output.ts";
import { progressLine } from "./progress.ts";
import { createReport, type Report } from "./report.ts";
import { readVariables } from "./variables.ts";

/** Runs the command line and ends the process with its exit code (contract C-9.1), once all output has been taken. */
export async function main(words: readonly string[]): Promise<never> {
  const controller = new AbortController();
  const secrets = new Secrets();
  let report = openReport({ progress: "never" }, secrets);
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
    const { command, operands, options } = invocation;
    const environment = { options, variables: readVariables(options.env), signal: controller.signal, secrets, report };
    return await exit(await starts[command](environment, operands));
  } catch (error) {
    return fail(controller.signal.aborted ? controller.signal.reason : error);
  }
}

type Start = (environment: CommandEnvironment, operands: readonly string[]) => Promise<number>;

/** Each command's code is loaded when it is asked for. */
const starts: Readonly<Record<Invocation["command"], Start>> = {
  run: async (environment, [config = "-"]) => (await import("./commands/run.ts")).runCommand(config, environment),
  check: async (environment, [config = "-"]) => (await import("./commands/check.ts")).checkCommand(config, environment),
  plan: async (environment, [config = "-"]) => (await import("./commands/plan.ts")).planCommand(config, environment),
  demo: async (environment) => (await import("./commands/demo.ts")).demoCommand(environment),
  schema: async (environment) => (await import("./commands/schema.ts")).schemaCommand(environment),
  completion: async (environment, [shell]) =>
    (await import("./commands/completion.ts")).completionCommand(shell, environment),
  complete: async (_environment, words) => (await import("./commands/completion.ts")).completeCommand(words),
  help: async (_environment, [topic]) => (await import("./commands/help.ts")).helpCommand(topic),
  version: async () => (await import("./commands/version.ts")).versionCommand(),
};

function openReport(options: Options, secrets: Secrets): Report {
  const format = options["log-format"] ?? "text";
  const { stderr, env } = process;
  const terminal = stderr.isTTY === true && env.TERM !== "dumb";
  const wanted = options.progress ?? "auto";
  const shown = wanted === "always" || (wanted === "auto" && terminal && !writesToTerminal(options));
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

/**
 * May records come to the terminal, among which a line that is redrawn would be lost? Into a pipe too: who reads it often
 * writes to the same terminal.
 */
function writesToTerminal({ output, split }: Options): boolean {
  if (split !== undefined || (output !== undefined && output !== "-")) return false;
  if (process.stdout.isTTY === true) return true;
  try {
    const stdout = fstatSync(1);
    return !stdout.isFile() && !stdout.isCharacterDevice();
  } catch {
    // It is closed.
    return false;
  }
}
