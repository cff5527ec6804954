import type { Cancellation } from "../../core/cancellation.ts";
/** Bytes that pages waiting for their turn may hold, all together. */
export interface Budget {
  free: number;
}

/**
 * Reads a body before its turn, while the budget lasts; then the socket waits. Iterating it gives what was read, and then the
 * rest. A fault ahead of the turn is thrown at its place. `signal`: the turn will not come.
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
    // The iterator handles its failure, if there is one.
    this.#filled.catch(() => undefined);
    signal.addEventListener("abort", this.#discard);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    this.#turn = true;
    const source = this.#source;
    try {
      for (;;) {
        yield* this.#release();
        // A chunk may still be on its way: it comes before those that are read from here on.
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
      // A chunk that came too late to be given back is not kept.
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
