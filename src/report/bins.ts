/** Number of bins: as many as a drawing shows. */
const maxBins = 240;

/** Milliseconds of a bin of a short run. */
const narrowest = 10;

/**
 * Sums of several columns over time, in a limited number of bins. When a run lasts longer than the bins cover, neighbouring bins
 * are joined in pairs. Times are milliseconds from the beginning.
 */
export class Bins {
  readonly #columns: readonly Float64Array[];
  #width = narrowest;

  constructor(columns: number) {
    this.#columns = Array.from({ length: columns }, () => new Float64Array(maxBins));
  }

  /** Width of a bin in milliseconds. */
  get width(): number {
    return this.#width;
  }

  /** Adds an amount at a moment. */
  add(column: number, time: number, amount: number): void {
    this.#fit(time);
    this.#put(column, Math.floor(time / this.#width), amount);
  }

  /** Distributes the milliseconds between two moments among the bins that they cover. */
  spread(column: number, from: number, to: number): void {
    this.#fit(to);
    let index = Math.floor(from / this.#width);
    for (let start = from; start < to; index += 1) {
      const end = Math.min(to, (index + 1) * this.#width);
      this.#put(column, index, end - start);
      start = end;
    }
  }

  /** Returns the sums of a column up to a moment. */
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
