import { type FileHandle, open } from "node:fs/promises";

/** Maximum number of files that are open at a time. */
const maxOpen = 200;

/** Reads any number of files in pieces. */
export class OpenFiles {
  readonly #handles = new Map<string, FileHandle>();

  /** Fills a buffer from a place in a file, as far as the file reaches. Returns the number of bytes. Rejects if the file cannot be read. */
  async read(path: string, into: Buffer, position: number): Promise<number> {
    const handle = await this.#open(path);
    let length = 0;
    while (length < into.length) {
      const { bytesRead } = await handle.read(into, length, into.length - length, position + length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return length;
  }

  async close(): Promise<void> {
    const handles = [...this.#handles.values()];
    this.#handles.clear();
    for (const handle of handles) await handle.close();
  }

  /** Opens a file. If too many files are open, closes the least recently used one first. */
  async #open(path: string): Promise<FileHandle> {
    const existing = this.#handles.get(path);
    if (existing !== undefined) {
      this.#handles.delete(path);
      this.#handles.set(path, existing);
      return existing;
    }
    const [oldest] = this.#handles;
    if (oldest !== undefined && this.#handles.size >= maxOpen) {
      this.#handles.delete(oldest[0]);
      await oldest[1].close();
    }
    const handle = await open(path);
    this.#handles.set(path, handle);
    return handle;
  }
}

/** Reads a file's bytes through a buffer. */
export class BufferedFile {
  readonly path: string;
  readonly #files: OpenFiles;
  readonly #size: number;
  #buffer: Buffer | undefined;
  /** Index in the file where the buffer's bytes begin, and their number. */
  #start = 0;
  #length = 0;

  /** `size`: size of the buffer, in bytes. */
  constructor(path: string, files: OpenFiles, size: number) {
    this.path = path;
    this.#files = files;
    this.#size = size;
  }

  /**
   * Returns up to `most` bytes from a position on; none at the file's end. They are valid until the next call. Rejects if the
   * file cannot be read.
   */
  async bytes(position: number, most: number): Promise<Buffer> {
    const buffer = this.#buffer ?? Buffer.allocUnsafeSlow(this.#size);
    this.#buffer = buffer;
    if (position < this.#start || position >= this.#start + this.#length) {
      this.#start = position;
      this.#length = 0;
      this.#length = await this.#files.read(this.path, buffer, position);
    }
    const from = position - this.#start;
    return buffer.subarray(from, Math.min(this.#length, from + most));
  }
}

/**
 * Returns the size in bytes of each file's buffer, from 4 KiB to 256 KiB. Together, the buffers of up to 8192 files take at most
 * 32 MiB.
 */
export function bufferSize(files: number): number {
  const [least, most, all] = [4096, 256 * 1024, 32 * 1024 * 1024];
  return Math.max(least, Math.min(most, Math.floor(all / files)));
}
