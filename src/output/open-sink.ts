import type { Writable } from "node:stream";
import { fileSink } from "./file-sink.ts";
import { folderSink } from "./folder-sink.ts";
import type { KeptFiles, Sink } from "./sink.ts";
import { streamSink } from "./stream-sink.ts";

/** Where the lines go. A file or a folder's files appear under their names only when the run has succeeded. */
export type Target =
  | { readonly kind: "stream"; readonly stream: Writable }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "folder"; readonly path: string };

/** Opens a target; with `kept` its unfinished files outlive the run. Rejects with SpileError `output`. */
export async function openSink(target: Target, kept?: KeptFiles): Promise<Sink> {
  if (target.kind === "stream") return streamSink(target.stream);
  return target.kind === "file" ? fileSink(target.path, kept) : folderSink(target.path, kept);
}
