import { Writable } from "node:stream";

/** A reader that takes everything and keeps nothing. */
export function openNothing(): Writable {
  return new Writable({
    write(_chunk, _encoding, callback) {
      callback();
    },
  });
}
