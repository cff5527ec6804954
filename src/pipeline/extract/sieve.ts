import { SpileError } from "../../core/errors.ts";
import { type Path, parsePath } from "../../core/path.ts";
import { recordsOf, textAt } from "../../extract/records.ts";
import { defaultKeys, KeySet } from "./key-set.ts";
import type { Lines } from "../page.ts";
import type { JobPlan } from "../../compile/plan.ts";

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

/** Keys written in one top-level job. A child job has its own, over all its parents. */
export type Keys = (plan: JobPlan) => KeySet;

export function createKeys({ limit }: Unique): Keys {
  const sets = new Map<JobPlan, KeySet>();
  return (plan) => {
    const keys = sets.get(plan) ?? new KeySet(limit);
    sets.set(plan, keys);
    return keys;
  };
}

/** Throws SpileError (usage) for jobs of which a record is not a line. */
export function refuseMappings(jobs: readonly JobPlan[]): void {
  for (const { map, label, children } of jobs) {
    if (map !== undefined) {
      throw new SpileError(
        "usage",
        `--unique tells records apart, and those of ${JSON.stringify(label)} are mapped to others (config.mappings)`,
      );
    }
    refuseMappings(children.map(({ plan }) => plan));
  }
}

/** What one page's lines go through on their way out. */
export interface Sieve {
  /** The lines without those whose key was written before. Each line is to be given once, in order. */
  sift(lines: readonly Lines[]): readonly Lines[];
  /** Places, counted from 0, of the page's records that were dropped so far. */
  readonly dropped: ReadonlySet<number>;
}

/** Lets everything pass. */
export const noSieve: Sieve = { sift: (lines) => lines, dropped: new Set() };

/**
 * Drops records whose key was written before in `keys`. A key is its JSON text (`1` and `"1"` differ, and so do `1` and
 * `1.0`), a string whatever its escapes. Records without one (null is none) are kept, and `warn` is told.
 */
export function createSieve(unique: Unique, keys: KeySet, page: SievedPage): Sieve {
  const path = page.tag ? ["record", ...unique.path] : unique.path;
  const dropped = new Set<number>();
  let seen = 0;

  const isNew = (record: Buffer): boolean => {
    const text = textAt(record, path);
    if (text !== undefined && text !== "null")
      return keys.add(text.includes("\\") ? JSON.stringify(JSON.parse(text)) : text);
    page.warn(`a record has no key at "${unique.path.join(".")}"; such records are kept (--unique)`);
    return true;
  };
  return {
    dropped,
    sift: (batches) =>
      batches.flatMap((batch) => {
        const before = dropped.size;
        const bytes = filterLines(batch.bytes, (record) => {
          const wanted = isNew(record);
          if (!wanted) dropped.add(seen);
          seen += 1;
          return wanted;
        });
        const records = batch.records - (dropped.size - before);
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
function filterLines(bytes: Buffer, isWanted: (record: Buffer) => boolean): Buffer {
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
