/** Bytes that pages waiting for their turn may hold, all together. */
export interface Budget {
  free: number;
}

/**
 * Reads a body before its turn, as long as the budget lasts; then the socket waits. Once it is iterated it gives what
 * was read, and the rest as it comes. What goes wrong ahead of the turn is thrown in its place. `signal` tells that the
 * turn will not come.
 */
export function readAhead(body: AsyncIterable<Buffer>, budget: Budget, signal: AbortSignal): AsyncIterable<Buffer> {
  const source = body[Symbol.asyncIterator]();
  const ready: Buffer[] = [];
  let turn = false;
  let ended = false;
  const ahead = fill();
  // Its failure is met by whoever iterates; nobody may.
  ahead.catch(() => undefined);
  signal.addEventListener("abort", discard, { once: true });

  async function fill(): Promise<void> {
    while (!turn && budget.free > 0) {
      const result = await source.next();
      if (result.done === true) {
        ended = true;
        return;
      }
      ready.push(result.value);
      budget.free -= result.value.length;
    }
  }

  return {
    async *[Symbol.asyncIterator]() {
      turn = true;
      try {
        for (;;) {
          yield* release();
          // A chunk may be under way still: it comes before those that are read from here on.
          await ahead;
          if (ready.length > 0) continue;
          break;
        }
        if (!ended) yield* { [Symbol.asyncIterator]: () => source };
      } finally {
        signal.removeEventListener("abort", discard);
        discard();
        await source.return?.();
      }
    },
  };

  function discard(): void {
    turn = true;
    for (const _ of release());
  }

  function* release(): Generator<Buffer> {
    for (let chunk = ready.shift(); chunk !== undefined; chunk = ready.shift()) {
      budget.free += chunk.length;
      yield chunk;
    }
  }
}
