import { Writable } from "node:stream";
import { SpileError } from "../core/errors.ts";
import type { OutputLines, Sink } from "./sink.ts";

/** Writes lines to a stream such as stdout, one write in flight, so that a slow reader holds everything back. */
export function streamSink(output: Writable): Sink {
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 8,
    write({ bytes }: OutputLines, _encoding, callback) {
      output.write(bytes, (error) => callback(error == null ? null : outputError(error, "stdout")));
    },
  });
  const failed = (error: Error) => stream.destroy(outputError(error, "stdout"));
  output.once("error", failed);
  stream.once("close", () => output.off("error", failed));
  return { stream, commit: async () => undefined, discard: async () => undefined };
}

/** The error of a write as the user meets it: a closed pipe is the reader's wish, all else is exit 74 (spec 9). */
export function outputError(error: Error & { code?: string }, name: string): SpileError {
  if (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED") {
    return new SpileError("closedPipe", `the reader of ${name} has closed it`, { cause: error });
  }
  return new SpileError("output", `cannot write to ${name}: ${error.message}`, { cause: error });
}
