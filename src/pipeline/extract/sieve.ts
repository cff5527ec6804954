import { createHash } from "node:crypto";
import type { Unique } from "../../compile/jobs/unique.ts";
import type { Lines } from "../../core/runs/lines.ts";
import type { PageKeys } from "../../core/runs/page.ts";
import { replaceStrings } from "../../core/text/json-strings.ts";
import { recordsOf, textAt } from "../../extract/records.ts";
import type { KeySet } from "../key-set.ts";

/** Filters one page's lines on their way out. */
export interface Sieve {
  /** Returns the lines whose keys were not written before. Each line must be given once, in order. */
  sift(lines: readonly Lines[]): readonly Lines[];
  /** Places of the records that were dropped so far. */
  readonly dropped: DroppedPlaces;
  /** Returns a digest of the keys of all records so far; undefined if there are no records, or if one of them has no key. */
  keys(): PageKeys | undefined;
}

/** A set of places of records in a page, from 0. */
export interface DroppedPlaces {
  readonly size: number;
  has(place: number): boolean;
}

/** A sieve that drops nothing. */
export const noSieve: Sieve = { sift: (lines) => lines, dropped: { size: 0, has: () => false }, keys: () => undefined };

/**
 * Creates a sieve that drops records whose key is already in `keys`. Keys are compared by their JSON text (`1` and `"1"` differ,
 * and so do `1` and `1.0`), but the escapes in a string do not matter. Records without a key, or with null, are kept and reported
 * to `warn`.
 */
export function createSieve(unique: Unique, keys: KeySet, page: SievedPage): Sieve {
  const path = page.tag ? ["record", ...unique.path] : unique.path;
  const dropped = new PlaceBits();
  const digest = createHash("sha256");
  let keyless = 0;
  let recordsBefore = 0;

  const isNew = (record: Buffer): boolean => {
    const text = textAt(record, path);
    if (text !== undefined && text !== "null") {
      const key = text.includes("\\") ? replaceStrings(text, plainString) : text;
      digest.update(key).update("\n");
      return keys.add(key);
    }
    keyless += 1;
    page.warn(`a record has no key at "${unique.path.join(".")}"; such records are kept (--unique)`);
    return true;
  };
  return {
    dropped,
    keys: () =>
      keyless > 0 || recordsBefore === 0
        ? undefined
        : { digest: digest.copy().digest("hex"), isNew: dropped.size < recordsBefore },
    sift: (lines) =>
      lines.flatMap((chunk) => {
        const before = dropped.size;
        const bytes = filterLines(chunk.bytes, (record) => {
          const isWanted = isNew(record);
          if (!isWanted) dropped.add(recordsBefore);
          recordsBefore += 1;
          return isWanted;
        });
        const records = chunk.records - (dropped.size - before);
        return records === 0 ? [] : [{ ...chunk, bytes, records }];
      }),
  };
}

export interface SievedPage {
  /** True if `--tag` wraps the records. */
  readonly tag: boolean;
  warn(message: string): void;
}

/** Returns a JSON string with the escapes that JSON.stringify writes, so that equal strings have equal texts. */
function plainString(text: string): string {
  return text.includes("\\") ? JSON.stringify(JSON.parse(text)) : text;
}

/** A set with one bit for each place, since one page may have tens of millions of duplicates. */
class PlaceBits implements DroppedPlaces {
  #bits = new Uint8Array(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(place: number): boolean {
    return ((this.#bits[place >> 3] ?? 0) & (1 << (place & 7))) !== 0;
  }

  /** Adds a place that is not in the set. */
  add(place: number): void {
    const byteIndex = place >> 3;
    if (byteIndex >= this.#bits.length) {
      const more = new Uint8Array(Math.max(64, 2 * byteIndex));
      more.set(this.#bits);
      this.#bits = more;
    }
    this.#bits[byteIndex] = (this.#bits[byteIndex] ?? 0) | (1 << (place & 7));
    this.#size += 1;
  }
}

/** Returns the lines of the wanted records; the given buffer itself if all are wanted. */
function filterLines(bytes: Buffer, isWanted: (record: Buffer) => boolean): Buffer {
  const pieces: Buffer[] = [];
  let [from, start, unwanted] = [0, 0, false];
  for (const record of recordsOf(bytes)) {
    const end = start + record.length + 1;
    if (!isWanted(record)) {
      if (from < start) pieces.push(bytes.subarray(from, start));
      from = end;
      unwanted = true;
    }
    start = end;
  }
  if (!unwanted) return bytes;
  if (from < start) pieces.push(bytes.subarray(from, start));
  return Buffer.concat(pieces);
}
