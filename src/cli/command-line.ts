import { existsSync, fstatSync } from "node:fs";
import { parseEnv } from "node:util";
import { unlessDry } from "../core/dry-loop.ts";
import { asSpileError, exitCodes, SpileError } from "../core/errors.ts";
import { type Invocation, parseArguments } from "./arguments.ts";
import { reportBug } from "./bug.ts";
import type { CommandEnvironment, CommandLineOptions, Outlet, PrintingEnvironment } from "./command.ts";
import { type CommandName, commandOf } from "./command-table.ts";
import type { Options } from "./option-table.ts";
import { progressLine } from "./progress-line.ts";
import { createReport, type Masking, type Report } from "./report.ts";

/** Runs a command line, reports on stderr how it ended, and returns its exit code (contract C-9.1). Never rejects. */
export async function runCommandLine(words: readonly string[], environment: CommandLineOptions): Promise<number> {
  const { stdin, stdout, env, signal, uncaught, backoff } = environment;
  let secrets: Masking = noMasking;
  let report = openReport({ progress: "never", ...askedFormat(words) }, secrets, environment);
  let debug = words.includes("--debug");
  try {
    const { command, operands, options } = parseArguments(words, existsSync);
    debug = options.debug ?? false;
    const variables = await readVariables(options.env, env, signal);
    const printing = { options, variables, stdout };
    let done: Promise<number>;
    if (isPrinting(command)) {
      report = openReport({ ...options, progress: "never" }, secrets, environment);
      done = printers[command](printing, operands);
    } else {
      const { Secrets } = await import("../core/secrets/redact.ts");
      const commandLineSecrets = new Secrets();
      secrets = commandLineSecrets;
      report = openReport(options, commandLineSecrets, environment);
      const { filesOf, requireDistinct } = await import("./distinct-files.ts");
      await requireDistinct(filesOf(filesAmong(operands, command), options));
      done = starts[command]({ ...printing, stdin, signal, backoff, secrets: commandLineSecrets, report }, operands);
    }
    return await unlessDry(Promise.race([done, uncaught]), () => {
      return new SpileError("bug", `spile ${command} did not finish, and the process has nothing left to wait for`);
    });
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    const cause = asSpileError(reason);
    if (cause !== reason && cause.kind === "bug") {
      reportBug(reason, { report, secrets, debug });
      return exitCodes.bug;
    }
    report.fault(cause);
    return cause.exitCode;
  }
}

/** Finds the format of the log without parsing the command line, since faults of the command line are written in this format, too. */
function askedFormat(words: readonly string[]): Options {
  return /(^| )--log-format[= ]json( |$)/.test(words.join(" ")) ? { "log-format": "json" } : {};
}

/** Masks nothing: before a configuration is read, there are no secrets. */
const noMasking: Masking = { mask: (text) => text };

type Start<E> = (environment: E, operands: readonly string[]) => Promise<number>;

/** The commands that only print parts of the package. The code of a command is loaded when the command is called. */
const printers = {
  explain: async (environment, [field]) => (await import("./commands/explain.ts")).explainCommand(field, environment),
  schema: async (environment) => (await import("./commands/schema.ts")).schemaCommand(environment),
  completion: async (environment, [shell]) =>
    (await import("./commands/completion.ts")).completionCommand(shell, environment),
  complete: async (environment, words) =>
    (await import("./commands/completion.ts")).completeCommand(words, environment),
  help: async (environment, [topic]) => (await import("./commands/help.ts")).helpCommand(environment, topic),
  version: async (environment) => (await import("./commands/version.ts")).versionCommand(environment),
} satisfies Partial<Record<Invocation["command"], Start<PrintingEnvironment>>>;

type Printer = keyof typeof printers;

function isPrinting(command: Invocation["command"]): command is Printer {
  return Object.hasOwn(printers, command);
}

/** The other commands. */
const starts: Readonly<Record<Exclude<Invocation["command"], Printer>, Start<CommandEnvironment>>> = {
  run: async (environment, [config = "-"]) =>
    environment.options.discover
      ? (await import("./commands/discover.ts")).discoverCommand(config, environment)
      : (await import("./commands/run.ts")).runCommand(config, environment),
  check: async (environment, [config = "-"]) => (await import("./commands/check.ts")).checkCommand(config, environment),
  plan: async (environment, [config = "-"]) => (await import("./commands/plan.ts")).planCommand(config, environment),
  get: async (environment, [address = ""]) => (await import("./commands/get.ts")).getCommand(address, environment),
  init: async (environment, operands) => (await import("./commands/init.ts")).initCommand(operands, environment),
  preview: async (environment, [config = "-"]) =>
    (await import("./commands/preview.ts")).previewCommand(config, environment),
  shard: async (environment, operands) => (await import("./commands/shard.ts")).shardCommand(operands, environment),
  demo: async (environment) => (await import("./commands/demo.ts")).demoCommand(environment),
};

/** Returns the operands that are files, as the table of the commands says. */
function filesAmong(operands: readonly string[], command: CommandName): readonly string[] {
  const rows = commandOf(command).operands;
  return operands.filter((_operand, index) => rows[index]?.completes === "file");
}

function openReport(options: Options, secrets: Masking, { stderr, stdout, env }: CommandLineOptions): Report {
  const format = options["log-format"] ?? "text";
  const isTerminal = stderr.isTTY === true && env.TERM !== "dumb";
  const choice = options.progress ?? "auto";
  const showsProgress = choice === "always" || (choice === "auto" && isTerminal && !writesToTerminal(options, stdout));
  const progress = showsProgress && format === "text" && options.quiet !== true ? progressLine(stderr) : undefined;
  return createReport({
    write: (text) => void stderr.write(text),
    format,
    verbosity: options.quiet ? "quiet" : options.verbose ? "verbose" : "normal",
    color: isTerminal && options["no-color"] !== true && (env.NO_COLOR ?? "") === "",
    strict: options.strict ?? false,
    secrets,
    progress,
  });
}

/**
 * Returns whether records may appear on the terminal, where they would destroy a line that is redrawn. A pipe counts, too: its
 * reader often writes to the same terminal.
 */
function writesToTerminal({ output, split }: Options, { isTTY, fd }: Outlet): boolean {
  if (split !== undefined || (output !== undefined && output !== "-")) return false;
  if (isTTY === true || fd === undefined) return true;
  try {
    const stdout = fstatSync(fd);
    return !stdout.isFile() && !stdout.isCharacterDevice();
  } catch {
    // stdout is closed, so nothing can appear on the terminal.
    return false;
  }
}

/**
 * Returns the variables of a run: those of a dotenv file, overridden by those of the process. It sets no variable of the process,
 * since only spile should read them. Rejects with exit 78 if the file cannot be read.
 */
export async function readVariables(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<NodeJS.ProcessEnv> {
  if (file === undefined) return env;
  const { readGiven } = await import("./read-given.ts");
  const text = (await readGiven(file, `--env ${file}`, signal)).toString().replace(/^\uFEFF/, "");
  return { ...parseEnv(text), ...env };
}
