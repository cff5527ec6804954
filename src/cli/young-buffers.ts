import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Number of bytes of bodies between two collections. With the lines made from them, the buffers take 8 MiB. From some 30 MiB on,
 * V8 would mark its whole heap, which takes a sixth of the time of a large response.
 */
const interval = 4 * 1024 * 1024;

/**
 * A piece of a body counts as at least this number of bytes. Even a small piece belongs to a request, whose objects become
 * garbage, too.
 */
const minCounted = 4096;

/** While the heap has fewer bytes than this, the collector here never collects it as a whole. */
const largeHeap = 32 * 1024 * 1024;

/** V8's function for a collection. Without options it collects all objects. */
type Collect = (options?: { readonly type: "minor" }) => void;

/**
 * Creates a function that collects garbage, to be called with the number of bytes of each received piece of a body.
 *
 * The buffers for bodies and lines die young. To V8 each is a small object, so it collects them only when small objects have
 * filled their space. Until then, the memory of the buffers counts towards the limit of the whole heap. So the returned function
 * collects young objects after each `interval` bytes. This takes a quarter of a millisecond.
 *
 * Some garbage of each request becomes old, and V8 would let it pile up. So after each such collection, the function also collects
 * the whole heap if it is larger than `largeHeap` and has grown by half since the last time. It does the same at the first body:
 * by then, all jobs have been read and checked.
 */
export function createCollector(): (bytes: number) => void {
  let bytesSince = 0;
  let maxHeap = largeHeap;
  let collect: Collect | undefined;
  let isFirst = true;
  return (bytes) => {
    bytesSince += Math.max(bytes, minCounted);
    const isDue = bytesSince >= interval;
    if (!isDue && !isFirst) return;
    isFirst = false;
    if (isDue) {
      bytesSince = 0;
      collect ??= exposedCollector();
      collect({ type: "minor" });
    }
    if (getHeapStatistics().used_heap_size <= maxHeap) return;
    collect ??= exposedCollector();
    collect();
    maxHeap = Math.max(largeHeap, 1.5 * getHeapStatistics().used_heap_size);
  };
}

/**
 * Returns V8's garbage collector, without a flag on Node's command line. If V8 does not expose it, returns a function that does
 * nothing.
 */
function exposedCollector(): Collect {
  if (globalThis.gc !== undefined) return globalThis.gc as Collect;
  setFlagsFromString("--expose-gc");
  const collect: Collect = runInNewContext("typeof gc === 'function' ? gc : () => {}");
  // The flag is reset because V8 rejects cached code if its flags differ from those of a new process; see src/code-cache.ts.
  setFlagsFromString("--no-expose-gc");
  return collect;
}
