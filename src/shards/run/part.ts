import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, link, mkdir, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { outputError, syncFolder } from "../../core/files/pending-file.ts";
import { removeLeftovers, temporaryName } from "../../core/files/temporary-name.ts";
import type { Lines } from "../../core/runs/lines.ts";
import { isMark, type Mark, type Sink } from "../../output/sink.ts";
import {
  type LineGroup,
  type ManifestHead,
  type ManifestLine,
  manifestPath,
  type Piece,
  partName,
} from "../manifest/manifest.ts";
import { readManifestHead, writeManifest } from "../manifest/manifest-file.ts";

/** The range of a part with the lines of a page and its children. */
export interface PieceRange extends Pick<Piece, "start" | "bytes" | "sha256"> {
  /** Lines since the last mark, whether from `mark` or from `cut`. */
  readonly datasets: readonly LineGroup[];
}

/** Name of the dataset whose lines another shard writes. No name in a configuration contains this character. */
export const unwritten = "\0";

/** The file of one attempt of a shard. It counts only when its manifest has its final name. */
export interface Part {
  readonly sink: Sink;
  /**
   * Returns the mark to send after a page's lines. `closed` receives the range since the previous mark from `mark`. Later lines wait
   * until `closed` has finished.
   */
  mark(closed: (range: PieceRange) => void | Promise<void>): Mark;
  /** Returns the mark to send after some of a page's lines. `closed` receives the lines since the last mark. */
  cut(closed: (datasets: readonly LineGroup[]) => void): Mark;
  /** Returns the number of bytes so far. */
  bytes(): number;
  /**
   * Flushes the part to the disk, then gives the manifest its name. Resolves with false if another attempt was first, since its
   * manifest counts. Rejects with SpileError `output`, or `data` if the name belongs to another plan.
   */
  publish(head: ManifestHead, lines: Iterable<ManifestLine>): Promise<boolean>;
  /** Leaves the file to a later attempt. Never rejects. */
  close(): Promise<void>;
  /** Removes the file. Never rejects. */
  remove(): Promise<void>;
}

export function newAttempt(): string {
  return randomBytes(6).toString("hex");
}

/**
 * The beginning of another attempt's part. This attempt copies it into its own file, so that two attempts can neither delay nor
 * damage each other.
 */
export interface EarlierPart {
  readonly attempt: string;
  readonly bytes: number;
}

/**
 * Creates the part of an attempt, and its folder if necessary. `before`: a part whose beginning is copied first. Rejects with
 * SpileError `output`.
 */
export async function openPart(
  folder: string,
  attempt: Pick<ManifestHead, "index" | "attempt">,
  before?: EarlierPart,
): Promise<Part> {
  const path = join(folder, partName(attempt));
  const handle = await guarded(path, async () => {
    await mkdir(folder, { recursive: true });
    await removeLeftovers(folder);
    return open(path, "ax");
  });
  const close = (): Promise<void> => handle.close().catch(() => undefined);
  const remove = async (): Promise<void> => {
    await close();
    await unlink(path).catch(() => undefined);
  };
  if (before !== undefined && before.bytes > 0) {
    const other = join(folder, partName({ ...attempt, attempt: before.attempt }));
    await guarded(other, () => copy(other, before.bytes, handle)).catch(async (error: unknown) => {
      await remove();
      throw error;
    });
  }
  let length = before?.bytes ?? 0;
  let [records, rangeStart] = [0, length];
  let digest = createHash("sha256");
  const datasets: LineGroup[] = [];
  const cut = (): readonly LineGroup[] => datasets.splice(0);

  const write = async ({ dataset, bytes, records: lines }: Lines): Promise<void> => {
    records += lines;
    if (dataset === unwritten) return;
    await writeAll(handle, bytes);
    digest.update(bytes);
    length += bytes.length;
    addLines(datasets, [dataset, bytes.length, lines]);
  };
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 8,
    write(chunk: Lines | Mark, _encoding, callback) {
      const done = isMark(chunk) ? chunk.reached({}) : guarded(path, () => write(chunk));
      done.then(() => callback(), callback);
    },
  });
  const sync = (): Promise<void> => guarded(path, () => handle.datasync());
  return {
    // The run must not remove the file when it fails: a later attempt may continue it.
    sink: { stream, records: () => records, sync, commit: () => sync().then(() => []), discard: async () => undefined },
    mark: (closed) => ({
      async reached() {
        const range = { start: rangeStart, bytes: length - rangeStart, sha256: digest.digest("hex"), datasets: cut() };
        rangeStart = length;
        digest = createHash("sha256");
        await closed(range);
      },
    }),
    cut: (closed) => ({ reached: async () => closed(cut()) }),
    bytes: () => length,
    publish: (head, lines) =>
      guarded(path, async () => {
        await handle.sync();
        await handle.close();
        return linkManifest(folder, head, lines);
      }),
    close,
    remove,
  };
}

/** Adds a group of lines, or extends the last group if it has the same dataset. */
export function addLines(datasets: LineGroup[], [dataset, bytes, lines]: LineGroup): void {
  const last = datasets.at(-1);
  if (last?.[0] !== dataset) datasets.push([dataset, bytes, lines]);
  else datasets.splice(-1, 1, [dataset, last[1] + bytes, last[2] + lines]);
}

/** Copies the first bytes of a file. */
async function copy(path: string, bytes: number, to: FileHandle): Promise<void> {
  const stream = createReadStream(path, { end: bytes - 1, highWaterMark: 1024 * 1024 });
  for await (const chunk of stream as AsyncIterable<Buffer>) await writeAll(to, chunk);
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) offset += (await handle.write(bytes, offset)).bytesWritten;
}

/**
 * Links the manifest to its name. A link to a name that is taken fails on every system, even over NFS, so exactly one attempt
 * succeeds. Over NFS a link may be made and still be reported as failed, if the first answer of the server was lost. The manifest
 * itself then shows to which attempt it belongs.
 */
async function linkManifest(folder: string, head: ManifestHead, lines: Iterable<ManifestLine>): Promise<boolean> {
  const { index, attempt, plan } = head;
  const temporary = join(folder, temporaryName(`${index}.${attempt}`));
  const file = await open(temporary, "wx");
  try {
    await writeManifest(file, head, lines);
    await file.sync();
    await file.close();
    await link(temporary, manifestPath(folder, index));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const existingHead = await readManifestHead(folder, index, plan);
    if (existingHead?.attempt !== attempt) return false;
  } finally {
    await file.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
  }
  await syncFolder(folder);
  return true;
}

async function guarded<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw outputError(error, path);
  }
}
