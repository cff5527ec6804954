import { hash } from "node:crypto";
import type { Unique } from "../compile/jobs/unique.ts";
import type { JobPlan } from "../compile/plan.ts";
import { SpileError } from "../core/errors.ts";

/** Returns the keys that a job has written so far. A child job has one set for all its parents. */
export type Keys = (plan: JobPlan) => KeySet;

export function createKeys({ limit }: Unique): Keys {
  const sets = new Map<JobPlan, KeySet>();
  return (plan) => {
    const keys = sets.get(plan) ?? new KeySet(limit);
    sets.set(plan, keys);
    return keys;
  };
}

/** Number of tables: one for each first byte of a digest. Each table grows separately, so that only a small part is copied at a time. */
const tableCount = 256;

/** Number of 32-bit words that a slot stores of a digest. */
const wordsPerSlot = 4;

/**
 * A set of texts, each stored as 128 bits of its SHA-256. The chance that two of 10 million texts have the same bits is below 1 in
 * 10^24. A key takes 20 to 30 bytes, so 10 million take at most 300 MB.
 */
export class KeySet {
  readonly #limit: number;
  readonly #tables = Array.from({ length: tableCount }, () => new Table());
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of bytes that the digests take in memory. */
  get bytes(): number {
    return this.#tables.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Adds a text. Returns false if the set has it already. Throws SpileError `data` if another text would exceed the limit. */
  add(text: string | Buffer): boolean {
    const digest = hash("sha256", text, "buffer");
    const place = this.#tables[digest[0] ?? 0]?.place(digest);
    if (place === undefined) return false;
    if (this.#size >= this.#limit) {
      const remedy = "--unique-limit allows more, and each key takes 20 to 30 bytes";
      throw new SpileError(
        "data",
        `--unique remembers at most ${this.#limit} keys for a job, but this job has more; ${remedy}`,
      );
    }
    this.#size += 1;
    place();
    return true;
  }
}

/** A hash table with open addressing and linear probing. A slot whose last word is 0 is free. At most four fifths are used. */
class Table {
  #slots = new Uint32Array(16 * wordsPerSlot);
  #size = 0;

  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** Returns a function that adds the digest; undefined if the table has it already. */
  place(digest: Buffer): (() => void) | undefined {
    // The first byte is the same in the whole table. The last word of a key is never 0, because 0 there marks a free slot.
    const key = [digest.readUInt32LE(1), digest.readUInt32LE(5), digest.readUInt32LE(9), digest.readUInt32LE(13) || 1];
    const slot = find(this.#slots, key);
    if (!isFree(this.#slots, slot)) return undefined;
    return () => {
      this.#slots.set(key, slot);
      this.#size += 1;
      if (this.#size * wordsPerSlot > this.#slots.length * 0.8) this.#grow();
    };
  }

  #grow(): void {
    const slots = new Uint32Array(Math.ceil((this.#slots.length / wordsPerSlot) * 1.5) * wordsPerSlot);
    for (let index = 0; index < this.#slots.length; index += wordsPerSlot) {
      if (isFree(this.#slots, index)) continue;
      const key = this.#slots.subarray(index, index + wordsPerSlot);
      slots.set(key, find(slots, key));
    }
    this.#slots = slots;
  }
}

/** Returns the index of the key, or of the free slot for it. */
function find(slots: Uint32Array, key: ArrayLike<number>): number {
  let index = ((key[0] ?? 0) % (slots.length / wordsPerSlot)) * wordsPerSlot;
  while (!isFree(slots, index) && !isKey(slots, index, key)) index = (index + wordsPerSlot) % slots.length;
  return index;
}

function isFree(slots: Uint32Array, index: number): boolean {
  return slots[index + 3] === 0;
}

function isKey(slots: Uint32Array, index: number, key: ArrayLike<number>): boolean {
  return (
    slots[index] === key[0] && slots[index + 1] === key[1] && slots[index + 2] === key[2] && slots[index + 3] === key[3]
  );
}
