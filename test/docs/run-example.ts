import { parseArguments } from "../../src/cli/arguments.ts";
import { runOptions } from "../../src/cli/commands/run.ts";
import { createReport } from "../../src/cli/report.ts";
import { readConfiguration } from "../../src/compile/read.ts";
import { Secrets } from "../../src/core/redact.ts";
import { run } from "../../src/pipeline/run.ts";
import { collector } from "../helpers/run.ts";

/** What a run of the command would have given. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a configuration as the command does with these arguments, within this process. */
export async function runExample(
  text: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ran> {
  const { options } = parseArguments(["config.json", ...args], () => true);
  const secrets = new Secrets();
  let stderr = "";
  const report = createReport({
    write: (line) => {
      stderr += line;
    },
    format: options["log-format"] ?? "text",
    verbosity: options.quiet ? "quiet" : options.verbose ? "verbose" : "normal",
    color: false,
    strict: options.strict ?? false,
    secrets,
  });
  const set = new Map(options.set);
  const loaded = readConfiguration(text, { name: "config.json", set, environment, strict: true, secrets });
  const { stream, text: stdout } = collector();
  const { signal } = new AbortController();
  const result = await run(loaded, {
    ...runOptions({ options, variables: environment, signal, secrets, report }),
    target: { kind: "stream", stream },
  });
  report.summary(result);
  return { code: result.exitCode, stdout: stdout(), stderr };
}
