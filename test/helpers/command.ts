import { Readable } from "node:stream";
import { runCommandLine } from "../../src/cli/command-line.ts";
import type { CliOptions, Finished } from "./cli.ts";
import { collector } from "./run.ts";

export interface HereOptions extends CliOptions {
  /** True to use the product's waits before a retry instead of a millisecond. */
  readonly waits?: boolean;
}

/** Number of current runs that have changed the working folder. */
let elsewhere = 0;

/**
 * Runs `spile` within this process, from the words of its command line to the exit code. This takes a twentieth of the time of a
 * process. Use it for tests that are not about a process, its pipes or its signals.
 */
export async function spileHere(words: readonly string[], options: HereOptions = {}): Promise<Finished> {
  // --max-time ends the whole process.
  if (words.includes("--max-time")) throw new Error("--max-time is for processes");
  const { stdin = "", env = {}, waits = false, cwd } = options;
  // A process has only one working folder.
  if (cwd !== undefined && elsewhere > 0) throw new Error("another run uses a different working folder");
  const home = process.cwd();
  const [stdout, stderr] = [collector(), collector()];
  try {
    if (cwd !== undefined) {
      elsewhere += 1;
      process.chdir(cwd);
    }
    const code = await runCommandLine(words, {
      stdin: () => Readable.from([Buffer.from(stdin)]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      env,
      signal: new AbortController().signal,
      uncaught: new Promise(() => undefined),
      backoff: waits ? undefined : () => 1,
    });
    return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    if (cwd !== undefined) {
      elsewhere -= 1;
      process.chdir(home);
    }
  }
}
