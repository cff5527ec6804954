import { backslash, quote } from "./json-bytes.ts";
import type { RecordReader } from "./record-reader.ts";

/** Counts the bytes of JSON without the white space between its tokens. Chunks may be cut anywhere. */
export class JsonVolume {
  #bytes = 0;
  #inString = false;
  #escaped = false;

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    let white = 0;
    for (const byte of chunk) {
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inString = false;
      } else if (byte === quote) this.#inString = true;
      else if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) white += 1;
    }
    this.#bytes += chunk.length - white;
  }
}

/** Returns a reader that works as `reader` does, and also reports the volume of the JSON that it reads. */
export function withVolume(reader: RecordReader): RecordReader {
  const volume = new JsonVolume();
  return {
    write(chunk) {
      volume.add(chunk);
      reader.write(chunk);
    },
    flush: () => reader.flush(),
    end: () => ({ ...reader.end(), volume: volume.bytes }),
    close: () => reader.close(),
  };
}
