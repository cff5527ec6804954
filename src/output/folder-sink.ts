import { mkdir, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { openPending, outputError, type PendingFile, suspectPath } from "../core/files/pending-file.ts";
import { temporaryName } from "../core/files/temporary-name.ts";
import type { Lines } from "../core/runs/lines.ts";
import { fileName, fileNames } from "./dataset-file.ts";
import { type FileLengths, isMark, type KeptFiles, type Mark, type Sink } from "./sink.ts";

/** Number of gathered bytes at which a dataset's lines are written. */
const writeBytes = 64 * 1024;

/**
 * Writes one NDJSON file for each dataset (`--split`), named after it. A dataset without records gets no file. Its file of an
 * earlier run is removed, unless the lines of this run go to suspect files.
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
  const files = new FolderFiles(folder, kept);
  await files.openKept();
  let records = 0;
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 8,
    write(chunk: Lines | Mark, _encoding, callback) {
      if (isMark(chunk)) {
        chunk.reached(files.lengths()).then(() => callback(), callback);
        return;
      }
      records += chunk.records;
      const write = files.add(names.get(chunk.dataset) ?? fileName(chunk.dataset), chunk);
      if (write === undefined) callback();
      else write.then(() => callback(), callback);
    },
    final(callback) {
      files.flush().then(() => callback(), callback);
    },
  });
  return {
    stream,
    records: () => records - files.lost,
    sync: () => files.sync(),
    commit: async ({ isSuspect }) => {
      const suspects = await files.commit(isSuspect);
      for (const name of names.values()) {
        if (files.has(name)) continue;
        const path = join(folder, name);
        await removeStale(suspectPath(path));
        if (!isSuspect) await removeStale(path);
      }
      return suspects;
    },
    discard: () => files.discard(),
  };
}

/**
 * The files of a folder. A new file is opened when its first lines are written. Lines are gathered before they are written: with
 * mappings, each line may belong to a different dataset than the line before, and a write for each line would take most of the
 * run's time.
 */
class FolderFiles {
  readonly #folder: string;
  readonly #kept: KeptFiles | undefined;
  readonly #lengths: Map<string, number>;
  readonly #files = new Map<string, Promise<PendingFile>>();
  readonly #gathered = new Map<string, { bytes: Buffer[]; length: number; records: number }>();
  /** Number of records that were added, but cannot be written because a write has failed. */
  lost = 0;
  /** The latest write. It may still be in progress when a run that was stopped calls `sync`. */
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(folder: string, kept: KeptFiles | undefined) {
    this.#folder = folder;
    this.#kept = kept;
    this.#lengths = new Map(Object.entries(kept?.lengths ?? {}));
  }

  /** Opens the files to continue, and removes the state's other unfinished files. */
  async openKept(): Promise<void> {
    if (this.#kept !== undefined) await removeKept(this.#folder, this.#kept.tag, new Set(this.#lengths.keys()));
    for (const [name, length] of this.#lengths) await this.#open(name, length);
  }

  /** Returns the number of bytes that were added to each file so far. */
  lengths(): FileLengths {
    return Object.fromEntries(this.#lengths);
  }

  has(name: string): boolean {
    return this.#files.has(name);
  }

  /** Adds lines to a file. Returns a promise if they are written now; the caller must await it. */
  add(name: string, { bytes, records }: Lines): Promise<void> | undefined {
    const waiting = this.#gathered.get(name) ?? { bytes: [], length: 0, records: 0 };
    this.#gathered.set(name, waiting);
    this.#lengths.set(name, (this.#lengths.get(name) ?? 0) + bytes.length);
    waiting.bytes.push(bytes);
    waiting.length += bytes.length;
    waiting.records += records;
    return waiting.length < writeBytes ? undefined : this.flush([name]);
  }

  flush(names: readonly string[] = [...this.#gathered.keys()]): Promise<void> {
    const write = this.#lastWrite.then(async () => {
      for (const name of names) {
        const { bytes, records } = this.#gathered.get(name) ?? { bytes: [], records: 0 };
        this.#gathered.delete(name);
        try {
          await (await (this.#files.get(name) ?? this.#open(name))).write(Buffer.concat(bytes));
        } catch (error) {
          // Nothing is written after a failure, so lines that wait for other files are lost, too.
          for (const waiting of this.#gathered.values()) this.lost += waiting.records;
          this.#gathered.clear();
          this.lost += records;
          throw error;
        }
      }
    });
    this.#lastWrite = write;
    return write;
  }

  async sync(): Promise<void> {
    await this.flush();
    for (const file of this.#files.values()) await (await file).sync();
  }

  /** Gives the files their names. Resolves with the paths of suspect files. */
  async commit(isSuspect: boolean): Promise<readonly string[]> {
    const suspects: string[] = [];
    for (const file of this.#files.values()) {
      const suspect = await (await file).commit({ isSuspect });
      if (suspect !== undefined) suspects.push(suspect);
    }
    return suspects;
  }

  async discard(): Promise<void> {
    for (const file of this.#files.values()) await file.then((opened) => opened.discard()).catch(() => undefined);
  }

  #open(name: string, length?: number): Promise<PendingFile> {
    const keptFile = this.#kept && { tag: this.#kept.tag, length, finished: this.#kept.finished };
    const file = openPending(join(this.#folder, name), keptFile);
    this.#files.set(name, file);
    return file;
  }
}

/** Removes the unfinished files whose names contain `tag`, except those for the file names in `except`. Never rejects. */
export async function removeKept(folder: string, tag: string, except: ReadonlySet<string> = new Set()): Promise<void> {
  const spared = new Set([...except].map((name) => temporaryName(name, tag)));
  for (const name of await readdir(folder).catch(() => [])) {
    const isOurs = name.startsWith(".") && name.endsWith(temporaryName("", tag).slice(1));
    if (isOurs && !spared.has(name)) await unlink(join(folder, name)).catch(() => undefined);
  }
}

/** Removes the file of an earlier run, whose records would otherwise be taken for those of this run. */
async function removeStale(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw outputError(error, path);
  }
}
