import { Writable } from "node:stream";
import { outputError } from "../core/pending-file.ts";
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
