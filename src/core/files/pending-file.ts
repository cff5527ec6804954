import { constants, openSync, unlinkSync } from "node:fs";
import { access, type FileHandle, lstat, open, readlink, realpath, rename, stat, unlink } from "node:fs/promises";
import { Socket } from "node:net";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { SpileError } from "../errors.ts";
import { reasonOf } from "../text/reason.ts";
import { longestName, removeLeftovers, shortenedName, temporaryName } from "./temporary-name.ts";

/** A file that is written under a temporary name. It gets its real name when it is complete and on the disk. */
export interface PendingFile {
  write(bytes: Buffer): Promise<void>;
  /** Resolves when everything written so far would survive a loss of power. */
  sync(): Promise<void>;
  /** Gives the file its name. Resolves with its path if it became the suspect file. */
  commit(options?: CommitOptions): Promise<string | undefined>;
  /** Removes the file, unless it is to be kept. Never rejects. */
  discard(): Promise<void>;
}

export interface CommitOptions {
  /** False: a loss of power may undo the commit. Default: true. */
  readonly durable?: boolean;
  /**
   * True: the file that already has the name stays, and the new file becomes the suspect file beside it. False: the suspect file of
   * an earlier run is removed. Absent: there are no suspect files.
   */
  readonly isSuspect?: boolean | undefined;
}

/** An unfinished file that outlives its process, so that another process can continue it. */
export interface KeptFile {
  /** A part of the file's name that distinguishes the unfinished files of one state from those of others. */
  readonly tag: string;
  /** Number of bytes to keep; the rest is cut off. Absent: the file is written from the beginning. */
  readonly length?: number | undefined;
  /** True if nothing is left to write. The file may already have its name. */
  readonly finished?: boolean | undefined;
}

/**
 * Opens a file that will replace `path`. Follows links, and keeps the mode unless `mode` is given. Writes directly to a device or
 * a pipe (`/dev/stdout`). Rejects with SpileError `output`, also if a kept file lacks bytes that it should have.
 */
export async function openPending(path: string, kept?: KeptFile, mode?: number): Promise<PendingFile> {
  try {
    const existing = await stat(path).catch(() => undefined);
    if (existing?.isDirectory() === true) throw new Error("it is a folder");
    // The path itself is opened, and not the target of a link: /dev/fd/63 is a link without a usable target.
    if (existing?.isFIFO() === true) return asPipe(await openPipe(path), path);
    if (existing !== undefined && !existing.isFile()) return asDevice(await open(path, "a"), path);
    const places = await placesOf(path);
    const { target } = places;
    const temporary = join(dirname(target), temporaryName(basename(target), kept?.tag));
    const finishedPath = kept?.finished === true ? await namedBefore(temporary, places, kept.length) : undefined;
    if (finishedPath !== undefined) return finishedFile(finishedPath, path, places);
    if (kept === undefined) await removeLeftovers(dirname(target));
    const forget = kept === undefined ? removeAtExit(temporary) : () => undefined;
    const handle = await openTemporary(temporary, mode ?? existing?.mode ?? 0o666, path, kept).catch(
      (error: unknown) => {
        forget();
        throw error;
      },
    );
    return {
      write: writer(handle, path),
      sync: () => handle.datasync().catch((error: unknown) => Promise.reject(outputError(error, path))),
      commit: async (options = {}) => {
        try {
          if (options.durable !== false) await handle.sync();
          await handle.close();
          const suspect = await moveInto(places, temporary, options);
          forget();
          return suspect;
        } catch (error) {
          throw outputError(error, path);
        }
      },
      discard: async () => {
        // The file is removed first, so that it is gone even if closing it hangs.
        if (kept === undefined) await unlink(temporary).catch(() => undefined);
        await close(handle);
        forget();
      },
    };
  } catch (error) {
    throw outputError(error, path);
  }
}

/** The paths that a file may get. */
interface Places {
  readonly target: string;
  readonly suspect: string;
}

/**
 * Returns the target of a path after following links, and the suspect file beside it. The suspect file is named after the path
 * itself, or after the target if the path is a link.
 */
async function placesOf(path: string): Promise<Places> {
  const target = await linkTarget(path);
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
  return { target, suspect: suspectPath(isLink ? target : path) };
}

/** Returns the path of the file that takes the lines of a suspect run under `--strict`. Its name has at most 255 bytes. */
export function suspectPath(path: string): string {
  const name = basename(path);
  const isLong = Buffer.byteLength(name + suspectEnding) > longestName;
  return join(dirname(path), (isLong ? shortenedName(name) : name) + suspectEnding);
}

export const suspectEnding = ".suspect";

/**
 * Gives a file its name. Removes an earlier suspect file first, so that a suspect file that is left after a crash never comes
 * from an older run.
 */
async function moveInto(
  { target, suspect }: Places,
  from: string,
  { durable = true, isSuspect }: CommitOptions,
): Promise<string | undefined> {
  if (isSuspect === false && from !== suspect) await unlink(suspect).catch(() => undefined);
  await rename(from, isSuspect === true ? suspect : target);
  if (durable) await syncFolder(dirname(target));
  return isSuspect === true ? suspect : undefined;
}

/** Returns the path of a finished file that already has its name: the temporary file does not exist, and the length is right. */
async function namedBefore(
  temporary: string,
  { target, suspect }: Places,
  length: number | undefined,
): Promise<string | undefined> {
  if ((await sizeOf(temporary)) !== undefined) return undefined;
  for (const path of [suspect, target]) if (length !== undefined && (await sizeOf(path)) === length) return path;
  return undefined;
}

/** A complete file that already has its name. The resumed run may judge it differently: a suspect file then gets its real name. */
function finishedFile(finishedPath: string, path: string, places: Places): PendingFile {
  return {
    write: () => Promise.reject(new Error("a finished file is written to")),
    sync: async () => undefined,
    commit: async (options = {}) => {
      if (finishedPath === places.target) return undefined;
      if (options.isSuspect === true) return finishedPath;
      return await moveInto(places, finishedPath, options).catch((error: unknown) =>
        Promise.reject(outputError(error, path)),
      );
    },
    discard: async () => undefined,
  };
}

/**
 * Replaces a whole file. With a `tag`, the temporary name is the same in every process, so that killed processes do not leave
 * more and more files. Rejects with SpileError `output`.
 */
export async function replaceFile(
  path: string,
  text: string,
  { tag, durable = true, mode }: { readonly tag?: string; readonly durable?: boolean; readonly mode?: number } = {},
): Promise<void> {
  const file = await openPending(path, tag === undefined ? undefined : { tag }, mode);
  try {
    await file.write(Buffer.from(text));
    await file.commit({ durable });
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/**
 * Checks before a run whether `path` can be written. A pipe is not opened, since its reader would see it end. Rejects with
 * SpileError `output`.
 */
export async function probeFile(path: string): Promise<void> {
  const isPipe = (await stat(path).catch(() => undefined))?.isFIFO() === true;
  if (!isPipe) return (await openPending(path)).discard();
  try {
    await access(path, constants.W_OK);
  } catch (error) {
    throw outputError(error, path);
  }
}

/**
 * Returns the error of a failed write for the user: a closed pipe means that the reader wants no more, everything else ends with
 * exit code 74 (contract C-9.1).
 */
export function outputError(error: unknown, name: string): SpileError {
  if (error instanceof SpileError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED") {
    return new SpileError("closedPipe", `the reader of ${name} has closed it`, { cause: error });
  }
  return new SpileError("output", `cannot write to ${name}: ${writeFaultText(error as NodeJS.ErrnoException)}`, {
    cause: error,
  });
}

/**
 * Returns the reason why a file could not be written: Node's "ENOSPC: no space left on device, open '/x/.y.123.tmp'" without the
 * call and the temporary name.
 */
function writeFaultText(error: NodeJS.ErrnoException): string {
  const { code, message } = error;
  if (code === "ENOENT") return "its folder does not exist";
  if (code === undefined || code === "ENOTDIR") return reasonOf(error);
  return new RegExp(`^${code}: [^,]*`).exec(message)?.[0] ?? message;
}

/** Unfinished files of this process that no other process will continue. */
const unfinished = new Set<string>();

/** Registers a file to be removed when the process exits. Returns a function that undoes this. */
function removeAtExit(path: string): () => void {
  if (unfinished.size === 0) process.once("exit", removeUnfinished);
  unfinished.add(path);
  return () => {
    unfinished.delete(path);
    if (unfinished.size === 0) process.off("exit", removeUnfinished);
  };
}

function removeUnfinished(): void {
  for (const path of unfinished) {
    try {
      unlinkSync(path);
    } catch {
      // The file is already removed.
    }
  }
}

function asDevice(handle: FileHandle, name: string): PendingFile {
  return {
    write: writer(handle, name),
    sync: async () => undefined,
    commit: async () => {
      await handle.close();
      return undefined;
    },
    discard: () => close(handle),
  };
}

/** Returns the target of a path after following all links, even if nothing exists there yet. */
export async function linkTarget(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const link = links < maxLinks ? await readlink(path).catch(() => undefined) : undefined;
    if (link === undefined) return path;
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const folder = await realpath(dirname(path)).catch(() => dirname(path));
    return linkTarget(resolve(folder, link), links + 1);
  }
}

const maxLinks = 40;

/** Milliseconds between two checks whether a pipe has a reader. */
const pauseMs = 20;

/** Opens a named pipe as soon as it has a reader. No signal could interrupt a blocking call of `open`. */
async function openPipe(path: string): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
      await wait(pauseMs);
    }
  }
}

function asPipe(fd: number, name: string): PendingFile {
  const socket = new Socket({ fd, readable: false, writable: true });
  socket.on("error", () => undefined);
  const end = (): Promise<undefined> =>
    new Promise((resolve) => void socket.once("close", () => resolve(undefined)).end());
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(outputError(error, name)) : resolve()));
      }),
    sync: async () => undefined,
    commit: end,
    discard: async () => void (await end()),
  };
}

async function openTemporary(path: string, mode: number, name: string, kept?: KeptFile): Promise<FileHandle> {
  // `O_NOFOLLOW` refuses a link that another user has put at this path.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;
  const length = kept?.length;
  if (length === undefined) {
    if (kept !== undefined) await unlink(path).catch(() => undefined);
    return await open(path, flags | constants.O_CREAT | constants.O_EXCL, mode);
  }
  const size = (await lstat(path).catch(() => undefined))?.size;
  if (size === undefined || size < length) {
    const found = size === undefined ? "is missing" : `has ${size} bytes`;
    const what = `cannot resume: the unfinished file ${path} ${found}, but ${length} bytes of ${name} were written`;
    throw new SpileError("output", `${what}; without --resume the run starts over`);
  }
  const handle = await open(path, flags);
  await handle.truncate(length);
  return handle;
}

function writer(handle: FileHandle, name: string): PendingFile["write"] {
  return async (bytes) => {
    try {
      for (let offset = 0; offset < bytes.length; ) offset += (await handle.write(bytes, offset)).bytesWritten;
    } catch (error) {
      throw outputError(error, name);
    }
  };
}

/**
 * Flushes a folder to the disk, so that a new name in it survives a loss of power. Does nothing if the system does not let a folder
 * be opened.
 */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

async function close(handle: FileHandle): Promise<void> {
  await handle.close().catch(() => undefined);
}
