/** Longest delay of a timer in Node, in ms: about 24 days. A timer with a longer delay would fire at once. */
export const maxDelay = 2 ** 31 - 1;

/**
 * Calls `action` once after `ms`, which may exceed the longest delay of a timer, without keeping the process alive. Returns a
 * function that cancels the call. `delay`: longest delay of one timer in ms, for tests.
 */
export function callAfter(ms: number, action: () => void, delay = maxDelay): () => void {
  const due = performance.now() + ms;
  let timer: NodeJS.Timeout;
  const start = (): void => {
    const remaining = due - performance.now();
    timer = setTimeout(remaining > delay ? start : action, Math.max(Math.min(remaining, delay), 0)).unref();
  };
  start();
  return () => clearTimeout(timer);
}
