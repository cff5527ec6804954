import { fstatSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { runCommandLine } from "./command-line.ts";
import { exit, watchSignals } from "./output.ts";

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

/**
 * Makes a stream to a file write each chunk to its end. Node's stream asks the system once and takes no notice of a write that
 * is cut short, as on a disk that becomes full: the rest would be missing, and nothing would say so.
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
