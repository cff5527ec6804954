import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { openPending, outputError, type PendingFile } from "../core/pending-file.ts";
import type { OutputLines, Sink } from "./sink.ts";

/** Bytes of a dataset's lines that are written together. */
const writeBytes = 64 * 1024;

/** One NDJSON file a dataset (`--split`), named by it; a dataset without records has none. */
export async function folderSink(folder: string): Promise<Sink> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw outputError(error, folder);
  }
  const files = new Map<string, Promise<PendingFile>>();
  const fileOf = (dataset: string): Promise<PendingFile> => {
    const name = fileName(dataset);
    const known = files.get(name);
    if (known !== undefined) return known;
    const file = openPending(join(folder, name));
    files.set(name, file);
    return file;
  };
  // Where datasets take turns line by line, as with mappings, a write a line would take most of the time.
  const gathered = new Map<string, { bytes: Buffer[]; length: number }>();
  const flush = async (dataset: string): Promise<void> => {
    const { bytes } = gathered.get(dataset) ?? { bytes: [] };
    gathered.delete(dataset);
    await (await fileOf(dataset)).write(Buffer.concat(bytes));
  };
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 8,
    write({ dataset, bytes }: OutputLines, _encoding, callback) {
      const waiting = gathered.get(dataset) ?? { bytes: [], length: 0 };
      gathered.set(dataset, waiting);
      waiting.bytes.push(bytes);
      waiting.length += bytes.length;
      if (waiting.length < writeBytes) callback();
      else flush(dataset).then(() => callback(), callback);
    },
    final(callback) {
      const all = async (): Promise<void> => {
        for (const dataset of [...gathered.keys()]) await flush(dataset);
      };
      all().then(() => callback(), callback);
    },
  });
  return {
    stream,
    commit: async () => {
      for (const file of files.values()) await (await file).commit();
    },
    discard: async () => {
      for (const file of files.values()) await file.then((opened) => opened.discard()).catch(() => undefined);
    },
  };
}

/** A dataset's name as a file name: what cannot stand in one is percent-encoded, so that no two names meet. */
function fileName(dataset: string): string {
  const safe = dataset.replace(/[^\p{L}\p{N}._ -]|^\./gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
  return `${safe}.ndjson`;
}
