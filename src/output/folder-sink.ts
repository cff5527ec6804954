import { mkdir, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { openPending, outputError, type PendingFile, temporaryName } from "../core/pending-file.ts";
import { fileName, fileNames } from "./dataset-file.ts";
import { isMark, type KeptFiles, type Mark, type OutputLines, type Sink } from "./sink.ts";

/** Bytes of a dataset's lines that are written together. */
const writeBytes = 64 * 1024;

/**
 * One NDJSON file a dataset (`--split`), named by it; one of the `datasets` without records has none, not an earlier run's
 * either. Of a kept folder the unfinished files that are not gone on with are removed.
 */
export async function folderSink(
  folder: string,
  datasets: readonly string[],
  kept: KeptFiles | undefined,
): Promise<Sink> {
  const names = fileNames(datasets);
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw outputError(error, folder);
  }
  const lengths = new Map(Object.entries(kept?.lengths ?? {}));
  const files = new Map<string, Promise<PendingFile>>();
  const open = (name: string, length?: number): Promise<PendingFile> => {
    const file = openPending(join(folder, name), kept && { tag: kept.tag, length, finished: kept.finished });
    files.set(name, file);
    return file;
  };
  if (kept !== undefined) await removeKept(folder, kept.tag, new Set(lengths.keys()));
  for (const [name, length] of lengths) await open(name, length);

  // Where datasets take turns line by line, as with mappings, a write a line would take most of the time.
  const gathered = new Map<string, { bytes: Buffer[]; length: number }>();
  // A write may be under way still when a run that was stopped asks for `sync`.
  let last: Promise<unknown> = Promise.resolve();
  const flush = (names: readonly string[]): Promise<void> => {
    const written = last.then(async () => {
      for (const name of names) {
        const bytes = Buffer.concat(gathered.get(name)?.bytes ?? []);
        gathered.delete(name);
        await (await (files.get(name) ?? open(name))).write(bytes);
      }
    });
    last = written;
    return written;
  };
  let records = 0;
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 8,
    write(chunk: OutputLines | Mark, _encoding, callback) {
      if (isMark(chunk)) {
        chunk.reached(Object.fromEntries(lengths)).then(() => callback(), callback);
        return;
      }
      const { bytes } = chunk;
      records += chunk.records;
      const name = names.get(chunk.dataset) ?? fileName(chunk.dataset);
      const waiting = gathered.get(name) ?? { bytes: [], length: 0 };
      gathered.set(name, waiting);
      lengths.set(name, (lengths.get(name) ?? 0) + bytes.length);
      waiting.bytes.push(bytes);
      waiting.length += bytes.length;
      if (waiting.length < writeBytes) callback();
      else flush([name]).then(() => callback(), callback);
    },
    final(callback) {
      flush([...gathered.keys()]).then(() => callback(), callback);
    },
  });
  return {
    stream,
    records: () => records,
    sync: async () => {
      await flush([...gathered.keys()]);
      for (const file of files.values()) await (await file).sync();
    },
    commit: async () => {
      for (const file of files.values()) await (await file).commit();
      for (const name of names.values()) if (!files.has(name)) await removeStale(join(folder, name));
    },
    discard: async () => {
      for (const file of files.values()) await file.then((opened) => opened.discard()).catch(() => undefined);
    },
  };
}

/** Removes unfinished files of a tag. Never rejects. */
export async function removeKept(folder: string, tag: string, except: ReadonlySet<string> = new Set()): Promise<void> {
  const spared = new Set([...except].map((name) => temporaryName(name, { tag })));
  for (const name of await readdir(folder).catch(() => [])) {
    const isOurs = name.startsWith(".") && name.endsWith(temporaryName("", { tag }).slice(1));
    if (isOurs && !spared.has(name)) await unlink(join(folder, name)).catch(() => undefined);
  }
}

/** Removes an earlier run's file: its records would be taken for this one's. */
async function removeStale(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw outputError(error, path);
  }
}
