import { basename } from "node:path";
import { Writable } from "node:stream";
import { openPending } from "../core/files/pending-file.ts";
import { isMark, type KeptFiles, type Mark, type OutputLines, type Sink } from "./sink.ts";

/** All lines into one file (`-o`). */
export async function fileSink(path: string, kept: KeptFiles | undefined): Promise<Sink> {
  const name = basename(path);
  let length = kept?.lengths?.[name] ?? 0;
  const file = await openPending(
    path,
    kept && { tag: kept.tag, length: kept.lengths && length, finished: kept.finished },
  );
  let records = 0;
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 8,
    write(chunk: OutputLines | Mark, _encoding, callback) {
      if (isMark(chunk)) {
        chunk.reached({ [name]: length }).then(() => callback(), callback);
        return;
      }
      length += chunk.bytes.length;
      records += chunk.records;
      file.write(chunk.bytes).then(
        () => callback(),
        (error: Error) => {
          records -= chunk.records;
          callback(error);
        },
      );
    },
  });
  const commit: Sink["commit"] = async (options) => {
    const suspect = await file.commit(options);
    return suspect === undefined ? [] : [suspect];
  };
  return { stream, records: () => records, sync: file.sync, commit, discard: file.discard };
}
