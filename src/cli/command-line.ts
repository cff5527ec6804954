import { existsSync, fstatSync } from "node:fs";
import { parseEnv } from "node:util";
import { unlessDry } from "../core/dry-loop.ts";
import { asSpileError, exitCodes, SpileError } from "../core/errors.ts";
import { type Invocation, parseArguments } from "./arguments.ts";
import { reportBug } from "./bug.ts";
import type { CommandEnvironment, CommandLineOptions, Outlet, PrintingEnvironment } from "./command.ts";
import type { Options } from "./option-table.ts";
import { progressLine } from "./progress-line.ts";
import { createReport, type Masking, type Report } from "./report.ts";

/** Runs a command line, tells on stderr how it ended, and answers its exit code (contract C-9.1). Never rejects. */
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
      await requireDistinct(filesOf(operands.slice(firstFile[command] ?? operands.length), options));
      done = starts[command]({ ...printing, stdin, signal, backoff, secrets: commandLineSecrets, report }, operands);
    }
    return await unlessDry(Promise.race([done, uncaught]), () => {
      return new SpileError("bug", `spile ${command} has not ended, and nothing is left to wait for`);
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

/** The format of the log, for what is wrong with the words themselves: a program reads that, too. */
function askedFormat(words: readonly string[]): Options {
  return /(^| )--log-format[= ]json( |$)/.test(words.join(" ")) ? { "log-format": "json" } : {};
}

/** Without a configuration there are no secrets. */
const noMasking: Masking = { mask: (text) => text };

type Start<E> = (environment: E, operands: readonly string[]) => Promise<number>;

/** Each command's code is loaded when it is asked for. These print what is in the package. */
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

/** Index among the operands of the other commands from which they are files to read. */
const firstFile: Readonly<Partial<Record<keyof typeof starts, number>>> = {
  run: 0,
  check: 0,
  plan: 0,
  preview: 0,
  shard: 1,
};

function openReport(options: Options, secrets: Masking, { stderr, stdout, env }: CommandLineOptions): Report {
  const format = options["log-format"] ?? "text";
  const terminal = stderr.isTTY === true && env.TERM !== "dumb";
  const choice = options.progress ?? "auto";
  const showsProgress = choice === "always" || (choice === "auto" && terminal && !writesToTerminal(options, stdout));
  const progress = showsProgress && format === "text" && options.quiet !== true ? progressLine(stderr) : undefined;
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
function writesToTerminal({ output, split }: Options, { isTTY, fd }: Outlet): boolean {
  if (split !== undefined || (output !== undefined && output !== "-")) return false;
  if (isTTY === true || fd === undefined) return true;
  try {
    const stdout = fstatSync(fd);
    return !stdout.isFile() && !stdout.isCharacterDevice();
  } catch {
    // It is closed.
    return false;
  }
}

/**
 * Returns the variables that a run sees: those of the process, and below them those of a dotenv file. No variable of the process
 * is set, since nothing but spile is to read them. Rejects with exit 78 if the file cannot be read.
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
