import { Writable } from "node:stream";
import { outputError } from "../core/files/pending-file.ts";
import type { Lines } from "../core/runs/lines.ts";
import { isMark, type Mark, type Sink } from "./sink.ts";

/**
 * Writes lines to a stream such as stdout. Only one write is in flight, so that a slow reader slows the whole run. `format`
 * returns the bytes to write for lines.
 */
export function streamSink(output: Writable, format = (lines: Lines): Buffer => lines.bytes): Sink {
  let records = 0;
  let bytes = 0;
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 8,
    write(chunk: Lines | Mark, _encoding, callback) {
      if (isMark(chunk)) chunk.reached({}).then(() => callback(), callback);
      else {
        const text = format(chunk);
        records += chunk.records;
        bytes += text.length;
        output.write(text, (error) => {
          if (error == null) return callback();
          records -= chunk.records;
          bytes -= text.length;
          callback(outputError(error, "stdout"));
        });
      }
    },
  });
  const onError = (error: Error) => stream.destroy(outputError(error, "stdout"));
  output.once("error", onError);
  stream.once("close", () => output.off("error", onError));
  const doNothing = async (): Promise<void> => undefined;
  return {
    stream,
    records: () => records,
    bytes: () => bytes,
    sync: doNothing,
    commit: async () => [],
    discard: doNothing,
  };
}
