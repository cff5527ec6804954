import type { Target } from "../core/run.ts";
import { fileSink } from "./file-sink.ts";
import { folderSink } from "./folder-sink.ts";
import type { KeptFiles, Sink } from "./sink.ts";
import { streamSink } from "./stream-sink.ts";

/** Opens a target; with `kept` its unfinished files outlive the run. Rejects with SpileError `output`. */
export async function openSink(target: Target, kept?: KeptFiles): Promise<Sink> {
  if (target.kind === "stream") return streamSink(target.stream);
  return target.kind === "file" ? fileSink(target.path, kept) : folderSink(target.path, kept);
}
