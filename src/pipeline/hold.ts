import { createHash, hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { SpileError } from "../core/errors.ts";
import type { Lines } from "./page.ts";
import { noSieve, type Sieve } from "./sieve.ts";

/**
 * A page's lines on their way out (spec 1, promise 6): they wait until the page is known to be good, up to `limit`
 * bytes; past that they flow. When an attempt breaks off, the next one's lines are compared with those that have
 * flowed, by a running checksum, and only what comes after them is new.
 */
export class Hold {
  readonly #limit: number;
  readonly #sieve: Sieve;
  /** Lines handed on by `flow`. */
  #written = 0;
  #waiting: Lines[] = [];
  #waitingBytes = 0;
  /** What has flowed, over all attempts. */
  #flowed: Sum = { bytes: 0, records: 0, checksum: 0 };
  /** No attempt follows: nothing more has to be known of what flows. */
  #whole = false;
  /** What this attempt has repeated of it. */
  #repeated = { bytes: 0, checksum: 0 };

  constructor(limit: number, sieve: Sieve = noSieve) {
    this.#limit = limit;
    this.#sieve = sieve;
  }

  /** Lines that have not waited for the page's end. */
  get writtenRecords(): number {
    return this.#written;
  }

  get dropped(): ReadonlySet<number> {
    return this.#sieve.dropped;
  }

  get waitingRecords(): number {
    return this.#waiting.reduce((sum, { records }) => sum + records, 0);
  }

  add(batch: Lines): void {
    this.#waiting.push(batch);
    this.#waitingBytes += batch.bytes.length;
  }

  /** The attempt broke off: what waits is forgotten. */
  restart(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#repeated = { bytes: 0, checksum: 0 };
  }

  /** What may flow now: nothing up to the limit. */
  flow(): readonly Lines[] {
    if (this.#flowed.bytes === 0 && this.#waitingBytes <= this.#limit) return [];
    const lines = this.#sieve.sift(this.release());
    this.#written += lines.reduce((sum, { records }) => sum + records, 0);
    return lines;
  }

  /** The page is whole: of what waits only what the sieve lets pass goes on waiting. To be called once, before `release`. */
  sift(): void {
    this.#whole = true;
    this.#waiting = [...this.#sieve.sift(this.#waiting)];
  }

  /** Everything that waits, without what has flowed in an earlier attempt. */
  release(): readonly Lines[] {
    const batches = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return batches.flatMap((batch) => this.#unseen(batch));
  }

  /** The digest of all lines of the page; equal digests are equal lines. To be asked after `flow`, before `release`. */
  digest(): string {
    const { bytes, checksum } = this.#flowed;
    if (bytes > 0) return `crc32:${bytes}:${checksum}`;
    const [first, ...more] = this.#waiting;
    if (first !== undefined && more.length === 0) return hash("sha1", first.bytes, "base64");
    const all = createHash("sha1");
    for (const { bytes } of this.#waiting) all.update(bytes);
    return all.digest("base64");
  }

  /** Throws where an attempt has ended before it repeated all that has flowed. */
  checkRepeated(): void {
    if (this.#repeated.bytes < this.#flowed.bytes) throw changed();
  }

  #unseen(batch: Lines): readonly Lines[] {
    const missing = this.#flowed.bytes - this.#repeated.bytes;
    const { bytes } = batch;
    if (missing === 0) {
      if (this.#whole) return [batch];
      this.#flowed = include(this.#flowed, batch);
      this.#repeated = { bytes: this.#flowed.bytes, checksum: this.#flowed.checksum };
      return [batch];
    }
    const known = bytes.subarray(0, missing);
    this.#repeated = {
      bytes: this.#repeated.bytes + known.length,
      checksum: crc32(known, this.#repeated.checksum),
    };
    if (known.length < missing) return [];
    if (this.#repeated.checksum !== this.#flowed.checksum) throw changed();
    const rest = bytes.subarray(missing);
    return rest.length === 0 ? [] : this.#unseen({ ...batch, bytes: rest, records: countLines(rest) });
  }
}

interface Sum {
  readonly bytes: number;
  readonly records: number;
  readonly checksum: number;
}

function include(sum: Sum, { bytes, records }: Lines): Sum {
  return {
    bytes: sum.bytes + bytes.length,
    records: sum.records + records,
    checksum: crc32(bytes, sum.checksum),
  };
}

function changed(): SpileError {
  return new SpileError(
    "data",
    "the response broke off after its first records were written, and when asked again it began with other records; run it again, with a greater --hold if the page fits in memory",
  );
}

/** Line ends in a buffer of whole lines: JSON text has none within. */
export function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}

/** The first `count` lines of what is given. */
export function cut(batches: readonly Lines[], count: number): readonly Lines[] {
  let left = count;
  return batches.flatMap((batch) => {
    const records = Math.min(batch.records, left);
    left -= records;
    if (records === batch.records) return [batch];
    return records === 0 ? [] : [{ ...batch, bytes: firstLines(batch.bytes, records), records }];
  });
}

function firstLines(bytes: Buffer, count: number): Buffer {
  let end = 0;
  for (let line = 0; line < count; line += 1) end = bytes.indexOf(10, end) + 1;
  return bytes.subarray(0, end);
}
