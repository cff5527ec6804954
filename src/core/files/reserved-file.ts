import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, ftruncateSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { linkTarget, outputError, syncFolder } from "./pending-file.ts";
import { temporaryName } from "./temporary-name.ts";

/** A hidden file that reserves disk space for a text that is not known yet. The hidden file will replace another file. */
export interface ReservedFile {
  /** Writes the text to the hidden file, which then replaces the other file, durably. Rejects with SpileError `output`. */
  replace(text: string): Promise<void>;
  /** Removes the hidden file. */
  discard(): void;
}

/**
 * Reserves disk space for a file that will be replaced, so that a full disk is an error now, and not later when data would be
 * lost. The hidden file has the same name in every process. Resolves with undefined for a device or a pipe. Rejects with
 * SpileError `output`.
 */
export async function reserveFile(
  path: string,
  { bytes, tag, mode }: { readonly bytes: number; readonly tag: string; readonly mode: number },
): Promise<ReservedFile | undefined> {
  try {
    const existing = await stat(path).catch(() => undefined);
    if (existing?.isDirectory() === true) throw new Error("it is a folder");
    if (existing !== undefined && !existing.isFile()) return undefined;
    const target = await linkTarget(path);
    const hidden = join(dirname(target), temporaryName(basename(target), tag));
    remove(hidden);
    return fillFile(openSync(hidden, "wx", mode), { hidden, target, path, bytes });
  } catch (error) {
    throw outputError(error, path);
  }
}

/**
 * Removes the hidden files that a killed process has left: those with the tags `tagOf(0)`, `tagOf(1)` and so on, up to the first
 * tag without a file.
 */
export async function removeReserved(path: string, tagOf: (index: number) => string): Promise<void> {
  const target = await linkTarget(path);
  for (let index = 0; remove(join(dirname(target), temporaryName(basename(target), tagOf(index)))); index += 1);
}

interface Places {
  readonly hidden: string;
  readonly target: string;
  /** The name in messages. */
  readonly path: string;
}

function fillFile(fd: number, { hidden, target, path, bytes }: Places & { readonly bytes: number }): ReservedFile {
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(fd);
    isOpen = false;
    process.off("exit", discard);
  };
  const discard = (): void => {
    if (!isOpen) return;
    close();
    remove(hidden);
  };
  process.once("exit", discard);
  try {
    // Random bytes: a file system that compresses files would reserve less space for zeros.
    writeAt(fd, randomBytes(bytes));
    fsyncSync(fd);
  } catch (error) {
    discard();
    throw error;
  }
  return {
    discard,
    async replace(text) {
      const bytesOfText = Buffer.from(text);
      try {
        writeAt(fd, bytesOfText);
        ftruncateSync(fd, bytesOfText.length);
        fsyncSync(fd);
        renameSync(hidden, target);
        close();
        await syncFolder(dirname(target));
      } catch (error) {
        discard();
        throw outputError(error, path);
      }
    },
  };
}

function writeAt(fd: number, bytes: Buffer): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset, bytes.length - offset, offset);
}

/** Removes a file. Returns whether it existed and could be removed. */
function remove(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
