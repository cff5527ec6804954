import { createHash } from "node:crypto";
import { type BigIntStats, constants, fstatSync, writeSync } from "node:fs";
import { type FileHandle, open, readFile, stat, unlink } from "node:fs/promises";
import { SpileError } from "../core/errors.ts";
import { linkTarget, outputError } from "../core/files/pending-file.ts";

/** Returns the seal that binds a log to the text of a document. */
export function sealOf(text: string): DocumentSeal {
  return { digest: digestOf(text), bytes: text.length };
}

/** Returns the path of the log beside a state file, after following links, as for the document itself. */
async function logPath(path: string): Promise<string> {
  return `${await linkTarget(path)}.log`;
}

/** Number of bytes that a log may always have before the document is written again. */
const smallestLimit = 64 * 1024;

/**
 * The entries that a run adds to its state file, one on each line, so that the whole document need not be written each time. Each
 * line begins with a digest of its own text and of the digest before it: that of the previous line, or for the first line that of
 * the document. So an entry that belongs to another document, or that a loss of power has damaged, does not count, and neither do
 * the entries after it.
 */
export class StateLog {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #limit: number;
  #sum: string;
  #bytes = 0;
  #isBroken = false;

  private constructor(path: string, handle: FileHandle, { digest, bytes }: DocumentSeal) {
    this.#path = path;
    this.#handle = handle;
    this.#limit = Math.max(bytes, smallestLimit);
    this.#sum = digest;
  }

  /**
   * Begins the log of a document that was just written. Resolves with undefined if the state is not a regular file. Rejects with
   * SpileError `output` if the log cannot be created.
   */
  static async begin(path: string, seal: DocumentSeal): Promise<StateLog | undefined> {
    const log = await logPath(path);
    try {
      const document = await stat(path);
      if (!document.isFile()) return undefined;
      const flags = constants.O_CREAT | constants.O_TRUNC | constants.O_WRONLY | constants.O_APPEND;
      return new StateLog(log, await open(log, flags | constants.O_NOFOLLOW, document.mode), seal);
    } catch (error) {
      throw outputError(error, log);
    }
  }

  /**
   * Adds an entry. Returns false if the document must be written again, because the log has grown too long, or because an earlier
   * write failed. Rejects with SpileError `output` if the entry cannot be written.
   */
  async append(entry: string, durable: boolean): Promise<boolean> {
    if (this.#isBroken || this.#bytes > this.#limit) return false;
    const sum = digestOf(`${this.#sum}${entry}`).slice(0, sumLength);
    const line = Buffer.from(`${sum} ${entry}\n`);
    try {
      // The write is synchronous: a line only goes to the system's cache, and waiting for a thread would take ten times as long.
      for (let offset = 0; offset < line.length; ) offset += writeSync(this.#handle.fd, line, offset);
      if (durable) await this.#handle.datasync();
    } catch (error) {
      // A part of the line may have been written, and a line after that part could not be read.
      this.#isBroken = true;
      throw outputError(error, this.#path);
    }
    this.#sum = sum;
    this.#bytes += line.length;
    return true;
  }

  /** Closes the log. Never rejects. */
  async close(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
  }
}

/**
 * Returns whether a killed run has left a log of a state file. Rejects with SpileError `usage` if another file has the log's
 * name: the target of stdout or stderr, or a file that does not begin as a log does. Must be called before the first write of a
 * state, because a write removes the log.
 */
export async function hasLog(path: string): Promise<boolean> {
  const log = await logPath(path);
  const file = await open(log, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { dev, ino } = await file.stat({ bigint: true });
    const isStream = [1, 2].some((fd) => {
      const stream = streamAt(fd);
      return stream?.dev === dev && stream.ino === ino;
    });
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sumLength + 1), 0, sumLength + 1, 0);
    // After a loss of power, a file may contain zero bytes instead of its text.
    if (!isStream && /^(?:[0-9a-f]{0,16} ?$|\0)/.test(buffer.toString("latin1", 0, bytesRead))) return true;
  } finally {
    await file.close();
  }
  throw new SpileError("usage", `${log} must be the log of the state, but it is another file: rename it`);
}

function streamAt(fd: number): BigIntStats | undefined {
  try {
    return fstatSync(fd, { bigint: true });
  } catch {
    return undefined;
  }
}

/** The digest of a written document, with which the digests in its log begin, and the approximate number of its bytes. */
export interface DocumentSeal {
  readonly digest: string;
  readonly bytes: number;
}

/** Removes the log of a state file. Never rejects. */
export async function removeLog(path: string): Promise<void> {
  await unlink(await logPath(path)).catch(() => undefined);
}

/** Returns the entries that belong to a document, in order; none if there is no log. Rejects if it cannot be read. */
export async function readLog(path: string, digest: string): Promise<readonly string[]> {
  const text = await readFile(await logPath(path), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const entries: string[] = [];
  let sum = digest;
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const entry = text.slice(start + sumLength + 1, end);
    const next = digestOf(`${sum}${entry}`).slice(0, sumLength);
    if (end < 0 || text.slice(start, start + sumLength + 1) !== `${next} `) break;
    entries.push(entry);
    sum = next;
    start = end + 1;
  }
  return entries;
}

/** Number of characters of a line's digest. */
const sumLength = 16;

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
