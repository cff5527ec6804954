/** The watchers, in the order in which they began. */
const watchers = new Set<{ onDry(): void }>();

/**
 * Calls `onDry` once when the event loop has run dry: nothing is left that could settle a promise, and Node would end the process.
 * If there are several watchers, the one that began last is called, and the one before it only if the loop runs dry again.
 * Returns a function that ends the watch.
 */
export function watchLoop(onDry: () => void): () => void {
  const watcher = { onDry };
  if (watchers.size === 0) process.on("beforeExit", wakeLast);
  watchers.add(watcher);
  return () => {
    watchers.delete(watcher);
    if (watchers.size === 0) process.off("beforeExit", wakeLast);
  };
}

function wakeLast(): void {
  const last = [...watchers].at(-1);
  if (last === undefined) return;
  watchers.delete(last);
  // The loop gets one more turn. If it runs dry again, the watcher that began before this one is called.
  setImmediate(() => undefined);
  last.onDry();
}

/** Settles as `work` does. Rejects with the error of `dry` if the event loop runs dry first. */
export async function unlessDry<T>(work: Promise<T>, dry: () => Error): Promise<T> {
  let end = (): void => undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_resolve, reject) => {
        end = watchLoop(() => reject(dry()));
      }),
    ]);
  } finally {
    end();
  }
}
