import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Bytes of bodies between two collections. With the lines made of them that is 8 MiB of buffers, well below the 30 or so
 * at which V8 begins to mark its whole heap: that takes a sixth of the time of a large response.
 */
const interval = 4 * 1024 * 1024;

/** A heap of so many bytes before the first body holds what is left of reading a large configuration. */
const large = 32 * 1024 * 1024;

/** Without options all objects are collected. */
type Collect = (options?: { readonly type: "minor" }) => void;

/**
 * Buffers that bodies are read into and lines are written from die young, but to V8 each is a small object: it collects
 * when small objects have filled their space, and until then the memory behind them counts towards the limit of the whole
 * heap. To be told of the bytes of bodies; every so many it collects the young objects, which takes a quarter of a
 * millisecond. With the first body all jobs have been checked: what that has left, where it is much, is collected once.
 */
export function createCollector(): (bytes: number) => void {
  let since = 0;
  let collect: Collect | undefined;
  let isFirst = true;
  return (bytes) => {
    if (isFirst && getHeapStatistics().used_heap_size > large) {
      collect ??= exposed();
      collect();
    }
    isFirst = false;
    since += bytes;
    if (since < interval) return;
    since = 0;
    collect ??= exposed();
    collect({ type: "minor" });
  };
}

/** V8's own function, without a flag on node's command line. A Node that does not give it goes without. */
function exposed(): Collect {
  setFlagsFromString("--expose-gc");
  return runInNewContext("typeof gc === 'function' ? gc : () => {}");
}
