import { type Path, parsePath } from "../core/path.ts";
import { recordsOf, textAt } from "../extract/records.ts";
import { countLines } from "./hold.ts";
import { defaultKeys, KeySet } from "./key-set.ts";
import type { Lines } from "./page.ts";
import type { JobPlan } from "./plan.ts";

/** `--unique`: how records are told from each other. */
export interface Unique {
  /** Path of the key in a record as it is written, without what `--tag` puts around it. */
  readonly path: Path;
  /** The most keys of one job, and of one of its children. */
  readonly limit: number;
}

export function uniqueOf(path: string | undefined, limit: number = defaultKeys): Unique | undefined {
  return path === undefined ? undefined : { path: parsePath(path), limit };
}

/** Keys written in one top-level job. A child job has its own, over all its parents; each dataset of a mapping too. */
export class Keys {
  readonly #limit: number;
  readonly #sets = new Map<JobPlan, Map<string, KeySet>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  of(plan: JobPlan, dataset: string): KeySet {
    const sets = this.#sets.get(plan) ?? new Map<string, KeySet>();
    const keys = sets.get(dataset) ?? new KeySet(this.#limit);
    this.#sets.set(plan, sets.set(dataset, keys));
    return keys;
  }
}

/** What one page's lines go through on their way out. */
export interface Sieve {
  /** The lines without those whose key was written before. Each line is to be given once, in order. */
  sift(lines: readonly Lines[]): readonly Lines[];
  /** Lines dropped so far. */
  readonly dropped: number;
}

/** Lets everything pass. */
export const noSieve: Sieve = { sift: (lines) => lines, dropped: 0 };

/**
 * Drops records whose key was written before in `keys`. A key is its JSON text (`1` and `"1"` differ, and so do `1` and
 * `1.0`), a string whatever its escapes. Records without one (null is none) are kept, and `warn` is told.
 */
export function createSieve(unique: Unique, keysOf: (dataset: string) => KeySet, page: SievedPage): Sieve {
  const path = page.tag ? ["record", ...unique.path] : unique.path;
  let dropped = 0;

  const isNew = (record: Buffer, keys: KeySet): boolean => {
    const text = textAt(record, path);
    if (text !== undefined && text !== "null")
      return keys.add(text.includes("\\") ? JSON.stringify(JSON.parse(text)) : text);
    page.warn(`a record has no key at "${unique.path.join(".")}"; such records are kept (--unique)`);
    return true;
  };
  return {
    get dropped() {
      return dropped;
    },
    sift: (batches) =>
      batches.flatMap((batch) => {
        const keys = keysOf(batch.dataset);
        const bytes = withoutRepeats(batch.bytes, (record) => isNew(record, keys));
        const records = bytes === batch.bytes ? batch.records : countLines(bytes);
        dropped += batch.records - records;
        return records === 0 ? [] : [{ ...batch, bytes, records }];
      }),
  };
}

export interface SievedPage {
  /** Are lines wrapped by `--tag`? */
  readonly tag: boolean;
  warn(message: string): void;
}

/** The lines whose record is wanted, in as few pieces as they come. */
function withoutRepeats(bytes: Buffer, isWanted: (record: Buffer) => boolean): Buffer {
  const pieces: Buffer[] = [];
  let [from, at, unwanted] = [0, 0, false];
  for (const record of recordsOf(bytes)) {
    const end = at + record.length + 1;
    if (!isWanted(record)) {
      if (from < at) pieces.push(bytes.subarray(from, at));
      from = end;
      unwanted = true;
    }
    at = end;
  }
  if (!unwanted) return bytes;
  if (from < at) pieces.push(bytes.subarray(from, at));
  return Buffer.concat(pieces);
}
