import { dirname } from "node:path";
import { readConfiguration } from "../compile/read.ts";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { runBlocking } from "../core/blocking-work.ts";
import { ConfigurationError, type Fault, faultLine, SpileError } from "../core/errors.ts";
import { readStream } from "../core/files/read-whole.ts";
import { warningEvent } from "../core/runs/event.ts";
import { loadPatterns } from "../expression/pattern.ts";
import type { CommandEnvironment } from "./command.ts";
import { readGiven } from "./read-given.ts";

/**
 * Reads and checks the configuration in a file, or on stdin for `-`, and reports its warnings. Rejects with SpileError
 * `configuration`.
 */
export async function loadConfiguration(path: string, environment: CommandEnvironment): Promise<LoadedConfiguration> {
  return interpret(await readText(path, environment), path === "-" ? "stdin" : path, environment, folderOf(path));
}

function folderOf(path: string): string {
  return path === "-" ? "." : dirname(path);
}

/** Works as `loadConfiguration`, but does not report the warnings. */
export async function loadSilently(path: string, environment: CommandEnvironment): Promise<LoadedConfiguration> {
  return read(await readText(path, environment), path === "-" ? "stdin" : path, environment, folderOf(path));
}

/**
 * Reads and checks the text of a configuration, and reports its warnings. `name`: its name in messages. `folder`: the folder to
 * which the paths in it are relative.
 */
export async function interpret(
  text: string,
  name: string,
  environment: CommandEnvironment,
  folder = ".",
): Promise<LoadedConfiguration> {
  const warn = (warnings: readonly Fault[]): void => {
    for (const warning of warnings) environment.report.emit(warningEvent(faultLine(warning)));
  };
  try {
    const loaded = await read(text, name, environment, folder);
    warn(loaded.warnings);
    return loaded;
  } catch (error) {
    if (error instanceof ConfigurationError) warn(error.warnings);
    throw error;
  }
}

async function read(
  text: string,
  name: string,
  { options, variables, secrets, signal }: CommandEnvironment,
  folder: string,
): Promise<LoadedConfiguration> {
  await loadPatterns(text);
  const readAll = () =>
    readConfiguration(text, {
      name,
      folder,
      set: new Map(options.set),
      environment: variables,
      strict: options.strict ?? false,
      secrets,
      allowUnset: options["allow-unset-env"] ?? false,
    });
  return runBlocking(readAll, signal);
}

async function readText(path: string, { stdin, signal }: CommandEnvironment): Promise<string> {
  const what = `the configuration ${path}`;
  const bytes = await (path === "-" ? readStream(stdin(), signal) : readGiven(path, what, signal));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SpileError("configuration", `the configuration ${path} is not UTF-8 text`, { cause: error });
  }
}
