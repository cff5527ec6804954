import { crc32 } from "node:zlib";

const kinds = ["busy", "unavailable", "reset", "cut body", "cut gzip"] as const;
export type FaultKind = (typeof kinds)[number];

/** Decides which answers go wrong: about one in `every`, always the same ones, each once. */
export interface Faults {
  take(key: string): FaultKind | undefined;
}

export function createFaults(every: number): Faults {
  const taken = new Set<string>();
  return {
    take(key) {
      if (hashOf(key) % every !== 0 || taken.has(key)) return undefined;
      taken.add(key);
      return kinds[hashOf(`kind ${key}`) % kinds.length];
    },
  };
}

/** Returns a 24-bit number that is the same on every machine. */
export function hashOf(text: string): number {
  // Without the multiplication, the CRCs of neighbouring texts would have consecutive remainders.
  return Math.imul(crc32(text), 2654435761) >>> 8;
}
