import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, link, mkdir, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { outputError } from "../core/pending-file.ts";
import { isMark, type Mark, type OutputLines, type Sink } from "../output/sink.ts";
import { type Manifest, manifestPath, type Piece, partName } from "./manifest.ts";

/** The range of a part that a page and its children wrote. */
export type PieceRange = Pick<Piece, "start" | "bytes" | "sha256" | "datasets">;

/** The file of one attempt of a shard. It counts only once its manifest has its name. */
export interface Part {
  readonly sink: Sink;
  /** What to send behind a page's lines: `closed` is told what has come since the one before. */
  mark(closed: (range: PieceRange) => void): Mark;
  /** Bytes so far. */
  bytes(): number;
  /**
   * Gives the manifest its name, once the part is on the disk. False where another attempt has one: that one counts.
   * Rejects with SpileError `output`.
   */
  publish(manifest: Manifest): Promise<boolean>;
  /** Removes the file. Never rejects. */
  remove(): Promise<void>;
}

export function newAttempt(): string {
  return randomBytes(6).toString("hex");
}

/** Opens the part of an attempt in a folder, which is created. Rejects with SpileError `output`. */
export async function openPart(folder: string, attempt: Pick<Manifest, "index" | "attempt">): Promise<Part> {
  const path = join(folder, partName(attempt));
  const handle = await guarded(path, async () => {
    await mkdir(folder, { recursive: true });
    return open(path, "ax");
  });
  let [length, records, begun] = [0, 0, 0];
  let digest = createHash("sha256");
  let datasets: [string, number, number][] = [];

  const write = async ({ dataset, bytes, records: lines }: OutputLines): Promise<void> => {
    records += lines;
    for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
    digest.update(bytes);
    length += bytes.length;
    const last = datasets.at(-1);
    if (last?.[0] !== dataset) datasets.push([dataset, bytes.length, lines]);
    else datasets.splice(-1, 1, [dataset, last[1] + bytes.length, last[2] + lines]);
  };
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 8,
    write(chunk: OutputLines | Mark, _encoding, callback) {
      const done = isMark(chunk) ? chunk.reached({}) : guarded(path, () => write(chunk));
      done.then(() => callback(), callback);
    },
  });
  const sync = (): Promise<void> => guarded(path, () => handle.datasync());
  const remove = async (): Promise<void> => {
    await handle.close().catch(() => undefined);
    await unlink(path).catch(() => undefined);
  };
  return {
    sink: { stream, records: () => records, sync, commit: sync, discard: remove },
    mark: (closed) => ({
      async reached() {
        closed({ start: begun, bytes: length - begun, sha256: digest.digest("hex"), datasets });
        begun = length;
        digest = createHash("sha256");
        datasets = [];
      },
    }),
    bytes: () => length,
    publish: (manifest) =>
      guarded(path, async () => {
        await handle.sync();
        await handle.close();
        return linkManifest(folder, manifest);
      }),
    remove,
  };
}

/** A link to a name that is taken fails, on every system and over NFS too: of several attempts one alone succeeds. */
async function linkManifest(folder: string, manifest: Manifest): Promise<boolean> {
  const temporary = join(folder, `.${manifest.index}.${manifest.attempt}.tmp`);
  const file = await open(temporary, "wx");
  try {
    await file.writeFile(`${JSON.stringify(manifest)}\n`);
    await file.sync();
    await file.close();
    await link(temporary, manifestPath(folder, manifest.index));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await file.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
  }
  await syncFolder(folder);
  return true;
}

/** A name is on the disk only when its folder is. Not every system lets a folder be opened. */
async function syncFolder(path: string): Promise<void> {
  const handle: FileHandle | undefined = await open(path, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function guarded<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw outputError(error, path);
  }
}
