import { closeSync, fstatSync, fsyncSync, lstatSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SpileError } from "../core/errors.ts";
import { linkTarget, openPending, outputError } from "../core/files/pending-file.ts";
import { temporaryName } from "../core/files/temporary-name.ts";

/** A file for a recording. The caller must await what its functions return, unless `isSynchronous`. */
export interface ArchiveFile {
  write(bytes: Buffer): unknown;
  /** Gives the file its name. */
  commit(): unknown;
  /** Removes the file. Never throws. */
  discard(): unknown;
  /** True if the functions work while the process ends, when nothing can be awaited. */
  readonly isSynchronous: boolean;
}

/**
 * Opens a file for a recording. Each write is complete when `write` returns, except to a device or a pipe. Until it is committed,
 * the file has a hidden name. This name is the same in every process, so that the file replaces one that a killed process has
 * left. Rejects with SpileError `output`.
 */
export async function openArchiveFile(path: string): Promise<ArchiveFile> {
  const existing = await stat(path).catch(() => undefined);
  if (existing !== undefined && !existing.isFile()) return { ...(await openPending(path)), isSynchronous: false };
  try {
    const target = await linkTarget(path);
    const hidden = join(dirname(target), temporaryName(basename(target), "record"));
    remove(hidden);
    const fd = openSync(hidden, "wx", existing?.mode ?? 0o666);
    return synchronousFile(fd, { hidden, target, path });
  } catch (error) {
    throw outputError(error, path);
  }
}

function synchronousFile(
  fd: number,
  { hidden, target, path }: { readonly hidden: string; readonly target: string; readonly path: string },
): ArchiveFile {
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      throw outputError(error, path);
    }
  };
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  const isOurs = (): boolean => lstatSync(hidden, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino;
  return {
    isSynchronous: true,
    write: (bytes) =>
      guarded(() => {
        for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
      }),
    commit: () =>
      guarded(() => {
        fsyncSync(fd);
        const isReplaced = !isOurs();
        close();
        if (isReplaced) throw new SpileError("output", `cannot write to ${path}: another run records to it, too`);
        renameSync(hidden, target);
      }),
    discard() {
      if (isOpen && isOurs()) remove(hidden);
      close();
    },
  };
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // There is no file, or `openSync` reports that it could not be removed.
  }
}
