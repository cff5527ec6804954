import type { Cancellation } from "../../core/cancellation.ts";
/** Bytes that pages waiting for their turn may hold, all together. */
export interface Budget {
  free: number;
}

/**
 * Reads a body before its turn, as long as the budget lasts; then the socket waits. Once it is iterated it gives what
 * was read, and the rest as it comes. What goes wrong ahead of the turn is thrown in its place. `signal` tells that the
 * turn will not come.
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
    // Its failure is met by whoever iterates; nobody may.
    this.#filled.catch(() => undefined);
    signal.addEventListener("abort", this.#discard);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    this.#turn = true;
    const source = this.#source;
    try {
      for (;;) {
        yield* this.#release();
        // A chunk may be under way still: it comes before those that are read from here on.
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
      // What came too late to be given back is not kept.
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
