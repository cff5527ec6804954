import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { readConfiguration } from "../compile/read.ts";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { faultLine, messageOf, SpileError } from "../core/errors.ts";
import type { CommandEnvironment } from "./command.ts";

/** Reads and checks the configuration in a file, or on stdin for `-`; its warnings are reported. Throws exit 78. */
export async function loadConfiguration(path: string, environment: CommandEnvironment): Promise<LoadedConfiguration> {
  return interpret(await readText(path), path === "-" ? "stdin" : path, environment);
}

/** The same for a configuration's text. `name` is how messages call it. */
export function interpret(
  text: string,
  name: string,
  { options, secrets, report }: CommandEnvironment,
): LoadedConfiguration {
  readVariables(options["env-file"]);
  const loaded = readConfiguration(text, {
    name,
    set: new Map(options.set),
    environment: process.env,
    strict: options.strict ?? false,
    secrets,
  });
  for (const warning of loaded.warnings) {
    report.emit({ event: "warning", level: "warning", message: faultLine(warning) });
  }
  return loaded;
}

async function readText(path: string): Promise<string> {
  const bytes = await (path === "-" ? buffer(process.stdin) : readFile(path)).catch((error: unknown) => {
    throw new SpileError("configuration", `cannot read the configuration ${path}: ${reason(error)}`, { cause: error });
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SpileError("configuration", `the configuration ${path} is not UTF-8 text`, { cause: error });
  }
}

/** Into the process' environment, where proxies are looked for too. A variable that is set already stays. */
function readVariables(path: string | undefined): void {
  if (path === undefined) return;
  try {
    process.loadEnvFile(path);
  } catch (error) {
    throw new SpileError("configuration", `cannot read --env-file ${path}: ${reason(error)}`, { cause: error });
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["EACCES", "permission denied"],
  ["EISDIR", "it is a folder"],
]);

function reason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons.get(code) ?? messageOf(error);
}
