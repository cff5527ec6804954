import { basename } from "node:path";
import { SpileError } from "../../core/errors.ts";
import { printable } from "../../core/text/printable.ts";
import type { PrintingEnvironment } from "../command.ts";
import { complete } from "../completion/complete.ts";
import { names } from "../completion/names.ts";
import { scripts } from "../completion/scripts.ts";
import { deliver, print } from "../output.ts";

/**
 * Runs `spile completion [SHELL]`, which prints the completion script of a shell. The default is the user's shell, which the
 * environment variable SHELL names.
 */
export async function completionCommand(word: string | undefined, environment: PrintingEnvironment): Promise<number> {
  const shell = word ?? basename(environment.variables.SHELL ?? "");
  const script = scripts.get(shell);
  if (script === undefined) {
    const shells = [...scripts.keys()].join(", ");
    const found =
      shell === ""
        ? "no shell is given, and the variable SHELL is not set"
        : `no completion for ${JSON.stringify(printable(shell))}`;
    throw new SpileError("usage", `${found}: give a shell after spile completion, one of ${shells}`);
  }
  await deliver(script, environment.options.output, environment.stdout);
  return 0;
}

/** Prints candidates in the form that the completion scripts read, without those that do not fit into one line. */
export async function completeCommand(words: readonly string[], { stdout }: PrintingEnvironment): Promise<number> {
  const { candidates, files, open } = await complete(words, names);
  const lines = candidates
    .filter(([value]) => printable(value) === value && !value.includes("\t"))
    .map(([value, describe]) => `${value}\t${describe}`);
  await print([`${files}${open ? " open" : ""}`, ...lines, ""].join("\n"), stdout);
  return 0;
}
