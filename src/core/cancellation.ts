/** A signal that work is no longer wanted, such as an AbortSignal. */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** The cancellation of one page. Every page has one, and an AbortController with a listener would cost ten times as much. */
export class PageCancellation implements Cancellation {
  readonly #listeners = new Set<() => void>();
  #cause: { readonly reason: unknown } | undefined;

  get aborted(): boolean {
    return this.#cause !== undefined;
  }

  get reason(): unknown {
    return this.#cause?.reason;
  }

  throwIfAborted(): void {
    if (this.#cause !== undefined) throw this.#cause.reason;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Aborts with the error that an AbortController would use: Node's streams recognise an abort by the name of this error. */
  abort(): void {
    if (this.#cause !== undefined) return;
    this.#cause = { reason: new DOMException("This operation was aborted", "AbortError") };
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}
