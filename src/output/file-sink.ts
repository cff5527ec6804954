import { constants } from "node:fs";
import { type FileHandle, open, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Writable } from "node:stream";
import { SpileError } from "../core/errors.ts";
import type { OutputLines, Sink } from "./sink.ts";
import { outputError } from "./stream-sink.ts";

/** A file that is written beside its name and gets the name, all bytes on the disk, when it is whole. */
export interface PendingFile {
  write(bytes: Buffer): Promise<void>;
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** Opens the file of `-o`; a device or a pipe (`/dev/stdout`) is written to as it is. */
export async function openPending(path: string): Promise<PendingFile> {
  try {
    const target = await realpath(path).catch(() => path);
    const there = await stat(target).catch(() => undefined);
    if (there?.isDirectory() === true) throw new Error("it is a folder");
    if (there !== undefined && !there.isFile()) {
      const handle = await open(target, "a");
      return { write: writer(handle, path), commit: () => handle.close(), discard: () => close(handle) };
    }
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
          throw outputError(error as Error, path);
        }
      },
      discard: async () => {
        await close(handle);
        await unlink(temporary).catch(() => undefined);
      },
    };
  } catch (error) {
    throw new SpileError("output", `cannot write to ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** All lines into one file (`-o`). */
export async function fileSink(path: string): Promise<Sink> {
  const file = await openPending(path);
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 8,
    write({ bytes }: OutputLines, _encoding, callback) {
      file.write(bytes).then(() => callback(), callback);
    },
  });
  return { stream, commit: file.commit, discard: file.discard };
}

function writer(handle: FileHandle, name: string): PendingFile["write"] {
  return async (bytes) => {
    try {
      for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
    } catch (error) {
      throw outputError(error as Error, name);
    }
  };
}

async function close(handle: FileHandle): Promise<void> {
  await handle.close().catch(() => undefined);
}
