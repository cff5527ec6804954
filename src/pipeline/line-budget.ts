import type { Lines } from "../core/runs/lines.ts";

/** Counts the lines of a run, and cuts those beyond `--max-records`. Each line is counted once, before it is written. */
export class LineBudget {
  readonly #limit: number;
  #spent: number;

  /** `spent`: number of lines that an interrupted run wrote before this run resumed it. */
  constructor(limit: number | undefined, spent = 0) {
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
    this.#spent = spent;
  }

  /** Number of lines so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Number of lines that may still be written. */
  get left(): number {
    return Math.max(0, this.#limit - this.#spent);
  }

  get isUsedUp(): boolean {
    return this.left === 0;
  }

  /** Drops the lines beyond the limit. Counts the others, and returns them. */
  cut(lines: readonly Lines[]): readonly Lines[] {
    return lines.flatMap((chunk) => {
      const records = Math.min(chunk.records, this.left);
      this.#spent += records;
      if (records === chunk.records) return [chunk];
      return records === 0 ? [] : [{ ...chunk, bytes: firstLines(chunk.bytes, records), records }];
    });
  }
}

export function countRecords(lines: readonly Lines[]): number {
  return lines.reduce((sum, { records }) => sum + records, 0);
}

function firstLines(bytes: Buffer, count: number): Buffer {
  let end = 0;
  for (let line = 0; line < count; line += 1) end = bytes.indexOf(10, end) + 1;
  return bytes.subarray(0, end);
}
