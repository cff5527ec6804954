import { constants } from "node:fs";
import { type FileHandle, open, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SpileError } from "./errors.ts";

/** A file that is written beside its name and gets the name, all bytes on the disk, when it is whole. */
export interface PendingFile {
  write(bytes: Buffer): Promise<void>;
  commit(): Promise<void>;
  /** Never rejects. */
  discard(): Promise<void>;
}

/** Opens a file to replace `path`, links followed and its mode kept; a device or a pipe (`/dev/stdout`) is written to as it is. */
export async function openPending(path: string): Promise<PendingFile> {
  try {
    const target = await realpath(path).catch(() => path);
    const there = await stat(target).catch(() => undefined);
    if (there?.isDirectory() === true) throw new Error("it is a folder");
    if (there !== undefined && !there.isFile()) return asItIs(await open(target, "a"), path);
    const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
    const flags = constants.O_CREAT | constants.O_WRONLY | constants.O_TRUNC;
    const handle = await open(temporary, flags, there?.mode ?? 0o666);
    return {
      write: writer(handle, path),
      commit: async () => {
        try {
          await handle.sync();
          await handle.close();
          await rename(temporary, target);
        } catch (error) {
          throw outputError(error, path);
        }
      },
      discard: async () => {
        await close(handle);
        await unlink(temporary).catch(() => undefined);
      },
    };
  } catch (error) {
    throw outputError(error, path);
  }
}

/** Replaces a file whole. Rejects with SpileError `output`. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const file = await openPending(path);
  try {
    await file.write(Buffer.from(text));
    await file.commit();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** The error of a write as the user meets it: a closed pipe is the reader's wish, all else is exit 74 (spec 9). */
export function outputError(error: unknown, name: string): SpileError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED") {
    return new SpileError("closedPipe", `the reader of ${name} has closed it`, { cause: error });
  }
  return new SpileError("output", `cannot write to ${name}: ${reasonOf(code, message)}`, { cause: error });
}

/** Node's "ENOSPC: no space left on device, open '/x/.y.123.tmp'" without the call and the temporary name. */
function reasonOf(code: string | undefined, message: string): string {
  if (code === "ENOENT") return "ENOENT: its folder does not exist";
  return code === undefined ? message : (new RegExp(`^${code}: [^,]*`).exec(message)?.[0] ?? message);
}

function asItIs(handle: FileHandle, name: string): PendingFile {
  return { write: writer(handle, name), commit: () => handle.close(), discard: () => close(handle) };
}

function writer(handle: FileHandle, name: string): PendingFile["write"] {
  return async (bytes) => {
    try {
      for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
    } catch (error) {
      throw outputError(error, name);
    }
  };
}

async function close(handle: FileHandle): Promise<void> {
  await handle.close().catch(() => undefined);
}
