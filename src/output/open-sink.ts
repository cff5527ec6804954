import { basename } from "node:path";
import { Writable } from "node:stream";
import { openPending } from "../core/files/pending-file.ts";
import type { Datasets } from "../core/runs/dataset.ts";
import type { Lines } from "../core/runs/lines.ts";
import type { Target } from "../core/runs/run.ts";
import { folderSink } from "./folder-sink.ts";
import { singerSink } from "./singer/singer-sink.ts";
import { isMark, type KeptFiles, type Mark, type Sink } from "./sink.ts";
import { streamSink } from "./stream-sink.ts";

/**
 * Opens a target for lines of the given datasets. With `kept`, its unfinished files outlive the run. Rejects with SpileError
 * `output`, or `configuration` if the name of a dataset is too long for a file name.
 */
export async function openSink(target: Target, datasets: Datasets, kept?: KeptFiles): Promise<Sink> {
  if (target.kind === "stream") return streamSink(target.stream);
  if (target.kind === "singer") return singerSink(target.stream, datasets);
  return target.kind === "file" ? fileSink(target.path, kept) : folderSink(target.path, [...datasets.keys()], kept);
}

/** Opens a sink that writes all lines to one file (`-o`). */
async function fileSink(path: string, kept: KeptFiles | undefined): Promise<Sink> {
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
    write(chunk: Lines | Mark, _encoding, callback) {
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
