import { Readable } from "node:stream";
import { runCommandLine } from "../../src/cli/command-line.ts";
import type { CliOptions, Finished } from "./cli.ts";
import { collector } from "./run.ts";

export interface HereOptions extends CliOptions {
  /** Uses the product's waits before a retry instead of a millisecond. */
  readonly waits?: boolean;
}

/** Number of current runs that have changed the working folder. */
let elsewhere = 0;

/**
 * Runs `spile` within this process, from the words of its command line to the exit code. For tests that are not about
 * a process, its pipes and its signals: it takes a twentieth of the time.
 */
export async function spileHere(words: readonly string[], options: HereOptions = {}): Promise<Finished> {
  // It ends the whole process when the time is over.
  if (words.includes("--max-time")) throw new Error("--max-time is for processes");
  const { stdin = "", env = {}, waits = false, cwd } = options;
  // A process is in one folder.
  if (cwd !== undefined && elsewhere > 0) throw new Error("another run is under way in a folder of its own");
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
