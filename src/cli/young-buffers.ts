import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Bytes of bodies between two collections. With the lines made of them that is 8 MiB of buffers, well below the 30 or so
 * at which V8 begins to mark its whole heap: that takes a sixth of the time of a large response.
 */
const interval = 4 * 1024 * 1024;

/** A piece of a body counts as so many bytes at least: each small one is a request, which leaves objects too. */
const least = 4096;

/** A heap of fewer bytes is never collected whole. */
const large = 32 * 1024 * 1024;

/** Without options all objects are collected. */
type Collect = (options?: { readonly type: "minor" }) => void;

/**
 * Buffers that bodies are read into and lines are written from die young, but to V8 each is a small object: it collects
 * when small objects have filled their space, and until then the memory behind them counts towards the limit of the whole
 * heap. To be told of the bytes of bodies; every so many it collects the young objects, which takes a quarter of a
 * millisecond. Then, and with the first body, before which all jobs have been read and checked, it looks whether the heap has
 * grown by half since it was last collected whole: some garbage of each request becomes old, and V8 would let it pile up.
 */
export function createCollector(): (bytes: number) => void {
  let since = 0;
  let most = large;
  let collect: Collect | undefined;
  let isFirst = true;
  return (bytes) => {
    since += Math.max(bytes, least);
    const isDue = since >= interval;
    if (!isDue && !isFirst) return;
    isFirst = false;
    if (isDue) {
      since = 0;
      collect ??= exposed();
      collect({ type: "minor" });
    }
    if (getHeapStatistics().used_heap_size <= most) return;
    collect ??= exposed();
    collect();
    most = Math.max(large, 1.5 * getHeapStatistics().used_heap_size);
  };
}

/** V8's own function, without a flag on node's command line. A Node that does not give it goes without. */
function exposed(): Collect {
  setFlagsFromString("--expose-gc");
  return runInNewContext("typeof gc === 'function' ? gc : () => {}");
}
