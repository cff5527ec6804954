import type { Cancellation } from "../../core/cancellation.ts";

/** Number of bytes that all pages that wait for their turn may still buffer together. */
export interface Budget {
  free: number;
}

/**
 * Reads a body before its turn, until the budget is used up. The returned body yields the bytes that were read, then the rest. A
 * fault is thrown after all bytes that came before the fault. `signal`: aborted if the turn will not come.
 */
export function readAhead(body: AsyncIterable<Buffer>, budget: Budget, signal: Cancellation): AsyncIterable<Buffer> {
  return new AheadBody(body, budget, signal);
}

class AheadBody implements AsyncIterable<Buffer> {
  readonly #source: AsyncIterator<Buffer>;
  readonly #budget: Budget;
  readonly #signal: Cancellation;
  readonly #ready: Buffer[] = [];
  readonly #filled: Promise<void>;
  #turn = false;
  readonly #discard = (): void => {
    this.#turn = true;
    for (const _ of this.#release());
  };

  constructor(body: AsyncIterable<Buffer>, budget: Budget, signal: Cancellation) {
    this.#source = body[Symbol.asyncIterator]();
    this.#budget = budget;
    this.#signal = signal;
    this.#filled = this.#fill();
    // If this fails, the iterator throws the fault when it awaits the promise.
    this.#filled.catch(() => undefined);
    signal.addEventListener("abort", this.#discard);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    this.#turn = true;
    const source = this.#source;
    try {
      for (;;) {
        yield* this.#release();
        // `#fill` may still wait for a chunk, which comes before all chunks that are read from `source` here.
        await this.#filled;
        if (this.#ready.length === 0) break;
      }
      yield* { [Symbol.asyncIterator]: () => source };
    } finally {
      this.#discard();
      await source.return?.();
    }
  }

  async #fill(): Promise<void> {
    while (!this.#turn && this.#budget.free > 0) {
      const result = await this.#source.next();
      // A chunk that comes after the abort is dropped: nothing would return its bytes to the budget.
      if (result.done === true || this.#signal.aborted) return;
      this.#ready.push(result.value);
      this.#budget.free -= result.value.length;
    }
  }

  *#release(): Generator<Buffer> {
    for (let chunk = this.#ready.shift(); chunk !== undefined; chunk = this.#ready.shift()) {
      this.#budget.free += chunk.length;
      yield chunk;
    }
  }
}
