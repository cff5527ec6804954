import { randomInt } from "node:crypto";

const chunkBytes = 1 << 18;
/** Number of 32-bit words of an entry: place and length of its context, then place and length of its value. */
const words = 4;

/**
 * A map from texts of parents' contexts to texts of values, in the order in which the contexts were added. It keeps the bytes of
 * the texts in a few buffers. A `Map` of 100,000 entries would take three times as much memory, and twice that while V8 moves its
 * strings.
 */
export class WatermarkTexts {
  readonly #chunks: Buffer[] = [];
  /** Number of bytes used in the last chunk. */
  #used = 0;
  #entries = new Uint32Array(words * 16);
  #count = 0;
  /** Hash table with linear probing. A slot holds the index of an entry plus 1, or 0 if it is free. The size is a power of 2. */
  #slots = new Uint32Array(32);
  /** Random start of each hash, so that an API cannot choose ids that share a slot. */
  readonly #seed = randomInt(2 ** 32);

  get size(): number {
    return this.#count;
  }

  get(context: string): string | undefined {
    const entry = this.#find(Buffer.from(context));
    return entry < 0 ? undefined : this.#text(entry * words + 2);
  }

  set(context: string, value: string): void {
    const contextBytes = Buffer.from(context);
    const bytes = Buffer.from(value);
    const existing = this.#find(contextBytes);
    const entry = existing < 0 ? this.#add(contextBytes) : existing;
    const place = entry * words + 2;
    const length = this.#entries[place + 1] ?? 0;
    if (existing >= 0 && bytes.length <= length) this.#copy(bytes, this.#entries[place] ?? 0);
    else this.#entries[place] = this.#append(bytes);
    this.#entries[place + 1] = bytes.length;
  }

  *[Symbol.iterator](): Generator<readonly [context: string, value: string]> {
    for (let entry = 0; entry < this.#count; entry += 1) {
      yield [this.#text(entry * words), this.#text(entry * words + 2)];
    }
  }

  #text(place: number): string {
    const [start, length] = [this.#entries[place] ?? 0, this.#entries[place + 1] ?? 0];
    const from = start % chunkBytes;
    return (this.#chunks[Math.floor(start / chunkBytes)] as Buffer).toString("utf8", from, from + length);
  }

  #copy(bytes: Buffer, start: number): void {
    bytes.copy(this.#chunks[Math.floor(start / chunkBytes)] as Buffer, start % chunkBytes);
  }

  /** Appends bytes. Returns their place: the index of their chunk times the length of a chunk, plus their offset in it. */
  #append(bytes: Buffer): number {
    if (this.#chunks.length === 0 || this.#used + bytes.length > chunkBytes) {
      this.#chunks.push(Buffer.allocUnsafeSlow(Math.max(chunkBytes, bytes.length)));
      this.#used = 0;
    }
    const start = (this.#chunks.length - 1) * chunkBytes + this.#used;
    this.#copy(bytes, start);
    this.#used += bytes.length;
    return start;
  }

  #add(contextBytes: Buffer): number {
    const entry = this.#count;
    if (entry * words === this.#entries.length) this.#grow();
    this.#count += 1;
    this.#entries[entry * words] = this.#append(contextBytes);
    this.#entries[entry * words + 1] = contextBytes.length;
    this.#slots[this.#slotOf(contextBytes)] = entry + 1;
    return entry;
  }

  /** Doubles the room for entries and slots. At most half of the slots are used. */
  #grow(): void {
    const entries = new Uint32Array(this.#entries.length * 2);
    entries.set(this.#entries);
    this.#entries = entries;
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let entry = 0; entry < this.#count; entry += 1) {
      this.#slots[this.#slotOf(this.#contextBytes(entry))] = entry + 1;
    }
  }

  #find(contextBytes: Buffer): number {
    return (this.#slots[this.#slotOf(contextBytes)] ?? 0) - 1;
  }

  /** Returns the slot of the entry with this context, or the free slot for a new entry. */
  #slotOf(contextBytes: Buffer): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(contextBytes, this.#seed) & mask;
    for (;;) {
      const entry = (this.#slots[slot] ?? 0) - 1;
      if (entry < 0 || this.#contextBytes(entry).equals(contextBytes)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #contextBytes(entry: number): Buffer {
    const [start, length] = [this.#entries[entry * words] ?? 0, this.#entries[entry * words + 1] ?? 0];
    const from = start % chunkBytes;
    return (this.#chunks[Math.floor(start / chunkBytes)] as Buffer).subarray(from, from + length);
  }
}

/** Returns the 32-bit FNV-1a hash of bytes. Its low bits choose the slot, so the high bits are mixed into them. */
function hashOf(bytes: Buffer, seed: number): number {
  let hash = seed;
  for (let index = 0; index < bytes.length; index += 1) hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
