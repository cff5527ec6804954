import { runCommandLine } from "./command-line.ts";
import { exit, watchSignals } from "./output.ts";
import { writeWhole } from "./whole-writes.ts";

/** Runs the command line in this process and ends it with the exit code, once all output has been taken. */
export async function main(words: readonly string[]): Promise<never> {
  const { stdout, stderr, env } = process;
  const controller = new AbortController();
  // Failed writes come back to whoever wrote; nobody else is to fall over them. A closed stderr is no fault at all.
  for (const stream of [stdout, stderr]) stream.on("error", () => undefined);
  writeWhole(stdout);
  const uncaught = new Promise<never>((_resolve, reject) => {
    process.on("uncaughtException", reject);
  });
  watchSignals((reason) => controller.abort(reason));
  const { signal } = controller;
  return exit(await runCommandLine(words, { stdin: () => process.stdin, stdout, stderr, env, signal, uncaught }));
}
