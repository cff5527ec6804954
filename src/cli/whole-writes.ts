import { fstatSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";

/**
 * Makes a stream to a file write each chunk to its end. Node's stream asks the system once and takes no notice of a write that
 * is cut short, as on a disk that becomes full: the rest would be missing, and nothing would say so.
 */
export function writeWhole(stream: Writable & { readonly fd: number }): void {
  if (!fstatSync(stream.fd).isFile()) return;
  stream._write = (chunk: Buffer, _encoding, callback) => {
    try {
      for (let offset = 0; offset < chunk.length; ) offset += writeSync(stream.fd, chunk, offset);
    } catch (error) {
      callback(error as Error);
      return;
    }
    callback();
  };
}
