import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { messageOf, SpileError } from "../../core/errors.ts";
import { type ManifestHead, type ManifestLine, manifestPath } from "./manifest.ts";
import type { BufferedFile } from "./open-files.ts";

/** Number of bytes of a manifest that are written or read at a time. */
export const blockBytes = 64 * 1024;

/** Writes a manifest: its head and each line as JSON, then a digest of all these lines. */
export async function writeManifest(
  file: FileHandle,
  head: ManifestHead,
  lines: Iterable<ManifestLine>,
): Promise<void> {
  const digest = createHash("sha256");
  let text = `${JSON.stringify(head)}\n`;
  const flush = async (): Promise<void> => {
    digest.update(text);
    await file.appendFile(text);
    text = "";
  };
  for (const line of lines) {
    text += `${JSON.stringify(line)}\n`;
    if (text.length >= blockBytes) await flush();
  }
  await flush();
  await file.appendFile(sealOf(digest.digest("hex")));
}

/** Returns the last line of a manifest, with its digest. */
function sealOf(digest: string): string {
  return `${JSON.stringify({ digest })}\n`;
}

const sealBytes = Buffer.byteLength(sealOf("0".repeat(64)));

/**
 * Returns the first line of a shard's manifest; undefined if there is no manifest. Rejects with SpileError `data` for a manifest
 * that cannot be read, is invalid or belongs to another plan.
 */
export async function readManifestHead(folder: string, index: number, plan: string): Promise<ManifestHead | undefined> {
  const path = manifestPath(folder, index);
  let head: ManifestHead;
  try {
    head = JSON.parse(await firstLine(path)) as ManifestHead;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SpileError("data", `cannot read the manifest ${path}: ${messageOf(error)}`, { cause: error });
  }
  if (head?.version !== 1 || head.index !== index || !/^[0-9a-f]+$/.test(head.attempt)) {
    throw new SpileError("data", `${path} is not a manifest of shard ${index}`);
  }
  if (head.plan === plan) return head;
  throw new SpileError("data", `${path} belongs to another plan: give each plan its own folder`);
}

async function firstLine(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(blockBytes), 0, blockBytes, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(newLine);
    if (end < 0) throw new Error("its first line has no end");
    return buffer.toString("utf8", 0, end);
  } finally {
    await file.close();
  }
}

const newLine = 10;

/**
 * Reads the lines of a manifest from its beginning to its end. Rejects with SpileError `data` if it is not as written. Lines are
 * decoded one at a time: the texts of a whole block would stay in memory, and fill the heap.
 */
export class ManifestLines {
  readonly #file: BufferedFile;
  /** Position of the next line in the file, in bytes. */
  #position = 0;
  #next: ManifestLine | undefined;
  #isBegun = false;

  constructor(file: BufferedFile) {
    this.#file = file;
  }

  /** Reads the manifest once, and verifies that every byte is as it was written. */
  async verify(): Promise<void> {
    const digest = createHash("sha256");
    let last = Buffer.alloc(0);
    for (let position = 0; ; ) {
      const bytes = await this.#bytes(position);
      if (bytes.length === 0) break;
      position += bytes.length;
      const all = Buffer.concat([last, bytes]);
      const certain = Math.max(0, all.length - sealBytes);
      digest.update(all.subarray(0, certain));
      last = all.subarray(certain);
    }
    if (last.toString("latin1") !== sealOf(digest.digest("hex"))) throw this.wrong("is incomplete or was changed");
  }

  /** Returns the next line without taking it; undefined if it is the digest at the end. */
  async peek(): Promise<ManifestLine | undefined> {
    if (this.#next === undefined) {
      // The first line is the head.
      if (!this.#isBegun) await this.#text();
      this.#isBegun = true;
      this.#next = this.#parsed(await this.#text());
    }
    return "digest" in this.#next ? undefined : this.#next;
  }

  /** Takes the line that `peek` has returned. */
  take(): void {
    this.#next = undefined;
  }

  wrong(what: string): SpileError {
    return new SpileError("data", `${this.#file.path} ${what}; remove it and run the shard again`);
  }

  #parsed(text: string): ManifestLine {
    try {
      return JSON.parse(text) as ManifestLine;
    } catch (error) {
      throw this.wrong(`cannot be read: ${messageOf(error)}`);
    }
  }

  /** Returns the text of the next line. */
  async #text(): Promise<string> {
    let lineStart: Buffer | undefined;
    for (;;) {
      const bytes = await this.#bytes(this.#position);
      if (bytes.length === 0) throw this.wrong("has changed while it was merged");
      const end = bytes.indexOf(newLine);
      const line = end < 0 ? bytes : bytes.subarray(0, end);
      this.#position += end < 0 ? bytes.length : end + 1;
      if (end >= 0) return (lineStart === undefined ? line : Buffer.concat([lineStart, line])).toString();
      lineStart = Buffer.concat(lineStart === undefined ? [line] : [lineStart, line]);
    }
  }

  async #bytes(position: number): Promise<Buffer> {
    try {
      return await this.#file.bytes(position, Number.POSITIVE_INFINITY);
    } catch (error) {
      throw this.wrong(`cannot be read: ${messageOf(error)}`);
    }
  }
}
