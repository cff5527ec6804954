import type { Datasets } from "../core/runs/dataset.ts";
import type { Target } from "../core/runs/run.ts";
import { fileSink } from "./file-sink.ts";
import { folderSink } from "./folder-sink.ts";
import { singerSink } from "./singer/singer-sink.ts";
import type { KeptFiles, Sink } from "./sink.ts";
import { streamSink } from "./stream-sink.ts";

/**
 * Opens a target for lines of the given datasets; with `kept` its unfinished files outlive the run. Rejects with SpileError
 * `output`, and `configuration` for a dataset that no file can be named by.
 */
export async function openSink(target: Target, datasets: Datasets, kept?: KeptFiles): Promise<Sink> {
  if (target.kind === "stream") return streamSink(target.stream);
  if (target.kind === "singer") return singerSink(target.stream, datasets);
  return target.kind === "file" ? fileSink(target.path, kept) : folderSink(target.path, [...datasets.keys()], kept);
}
