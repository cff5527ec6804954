import { fstatSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { watchLoop } from "../core/dry-loop.ts";
import { exitCodes } from "../core/errors.ts";
import { runCommandLine } from "./command-line.ts";
import { exit, watchSignals } from "./output.ts";

/** Runs the command line in this process. Writes all output, and then ends the process with the exit code. */
export async function main(words: readonly string[]): Promise<never> {
  const { stdout, stderr, env } = process;
  const controller = new AbortController();
  // A failed write is reported to its caller, so the event must not end the process. A closed stderr is not a fault.
  for (const stream of [stdout, stderr]) stream.on("error", () => undefined);
  writeWhole(stdout);
  const uncaught = new Promise<never>((_resolve, reject) => {
    process.on("uncaughtException", reject);
    watchSignals((reason) => controller.abort(reason), reject);
  });
  // The last resort. It cannot wait for anything, because no promise will settle any more.
  watchLoop(() => {
    stderr.write("error a bug in spile: it did not finish, and the process has nothing left to wait for\n");
    process.exit(exitCodes.bug);
  });
  const { signal } = controller;
  return exit(await runCommandLine(words, { stdin: () => process.stdin, stdout, stderr, env, signal, uncaught }));
}

/**
 * Makes a stream to a file write each chunk completely. Node calls the system only once. If the system writes only a part of the
 * chunk, as on a full disk, the rest would be missing without an error.
 */
function writeWhole(stream: Writable & { readonly fd: number }): void {
  if (!fstatSync(stream.fd).isFile()) return;
  stream._write = (chunk: Buffer, _encoding, callback) => {
    try {
      for (let offset = 0; offset < chunk.length; ) offset += writeSync(stream.fd, chunk, offset);
    } catch (error) {
      callback(error as Error);
      return;
    }
    callback();
  };
}
