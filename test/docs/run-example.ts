import { readConfiguration } from "../../src/compile/read.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import type { Finished } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";

/** Runs the command on a configuration with these arguments. Throws if the configuration has a fault or an unknown field. */
export async function runExample(
  text: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Finished> {
  readConfiguration(text, {
    name: "config.json",
    set: givenBy(args),
    environment,
    strict: true,
    secrets: new Secrets(),
  });
  return spileHere(["-", ...args], { stdin: text, env: environment });
}

/** Returns the settings of `--set NAME=VALUE`. */
function givenBy(args: readonly string[]): Map<string, string> {
  const given = args.flatMap((word, index) => (args[index - 1] === "--set" ? [word] : []));
  return new Map(
    given.map((word): [string, string] => {
      const at = word.indexOf("=");
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}
