import { Writable } from "node:stream";
import { openPending } from "../core/pending-file.ts";
import type { OutputLines, Sink } from "./sink.ts";

/** All lines into one file (`-o`). */
export async function fileSink(path: string): Promise<Sink> {
  const file = await openPending(path);
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 8,
    write({ bytes }: OutputLines, _encoding, callback) {
      file.write(bytes).then(() => callback(), callback);
    },
  });
  return { stream, commit: file.commit, discard: file.discard };
}
