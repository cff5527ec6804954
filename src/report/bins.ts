const maxBins = 240;

/** Width of a bin in milliseconds, until the run is too long for it. */
const initialWidth = 10;

/**
 * Sums of several columns over time. A bin holds the sums of one short period; all periods have the same length. When the run
 * lasts longer than all bins together, neighbouring bins are joined in pairs. Times are milliseconds from the beginning of the run.
 */
export class Bins {
  readonly #columns: readonly Float64Array[];
  #width = initialWidth;

  constructor(columns: number) {
    this.#columns = Array.from({ length: columns }, () => new Float64Array(maxBins));
  }

  /** Width of a bin in milliseconds. */
  get width(): number {
    return this.#width;
  }

  /** Adds an amount to the bin of a time. */
  add(column: number, time: number, amount: number): void {
    this.#fit(time);
    this.#put(column, Math.floor(time / this.#width), amount);
  }

  /** Divides the milliseconds from `from` to `to` among the bins, and adds to each bin its share. */
  spread(column: number, from: number, to: number): void {
    this.#fit(to);
    let index = Math.floor(from / this.#width);
    for (let start = from; start < to; index += 1) {
      const end = Math.min(to, (index + 1) * this.#width);
      this.#put(column, index, end - start);
      start = end;
    }
  }

  /** Returns the sums of a column, one for each bin up to the time `until`. */
  values(column: number, until: number): readonly number[] {
    const count = Math.min(maxBins, Math.max(1, Math.ceil(until / this.#width)));
    return [...(this.#columns[column]?.subarray(0, count) ?? [])];
  }

  #put(column: number, index: number, amount: number): void {
    const sums = this.#columns[column];
    if (sums !== undefined) sums[Math.min(index, maxBins - 1)] = (sums[Math.min(index, maxBins - 1)] ?? 0) + amount;
  }

  #fit(time: number): void {
    while (time > this.#width * maxBins) {
      this.#width *= 2;
      for (const sums of this.#columns) {
        for (let index = 0; index < maxBins; index += 1) {
          const leftIndex = 2 * index;
          sums[index] = leftIndex < maxBins ? (sums[leftIndex] ?? 0) + (sums[leftIndex + 1] ?? 0) : 0;
        }
      }
    }
  }
}
