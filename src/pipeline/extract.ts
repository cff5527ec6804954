import type { Hold } from "./hold.ts";
import { createHold, firstLines } from "./hold.ts";
import type { Lines, OpenedPage } from "./page.ts";
import { asSpileError } from "./page-source.ts";
import { type ReadOptions, readPage } from "./read-page.ts";

export interface ExtractOptions extends ReadOptions {
  /** Bytes of a page's lines that wait until the page is known to be good. */
  readonly hold: number;
  readonly signal: AbortSignal;
}

/** The extract stage: opened pages in, whole lines out, each page in its turn; tells the source how each has ended. */
export function extract(options: ExtractOptions) {
  return async function* (pages: AsyncIterable<OpenedPage>): AsyncGenerator<Lines> {
    const waiting: OpenedPage[] = [];
    for await (const opened of pages) {
      waiting.push(opened);
      for (let next = takeInTurn(waiting); next !== undefined; next = takeInTurn(waiting)) {
        yield* extractPage(next, options);
      }
    }
  };
}

/** Takes out the page whose turn it is, and forgets those whose turn will not come. */
function takeInTurn(waiting: OpenedPage[]): OpenedPage | undefined {
  const live = waiting.filter(({ page }) => !page.signal.aborted);
  const next = live.find(({ page }) => page.inTurn());
  waiting.splice(0, waiting.length, ...live.filter((opened) => opened !== next));
  return next;
}

async function* extractPage(opened: OpenedPage, options: ExtractOptions): AsyncGenerator<Lines> {
  const { page } = opened;
  const { limit, signal } = options;
  const hold = new Hold(options.hold);
  let written = 0;
  try {
    const reading = yield* readPage(opened, hold, options);
    written = hold.flowedRecords;
    if (reading === "enough") {
      const lines = cut(hold.release(), limit.remaining);
      page.stop({ written: written + limit.remaining, ...opened.counts() });
      return yield* lines;
    }
    yield* settle(opened, hold, { ...reading, written });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    page.fail(asSpileError(error), { written, ...opened.counts() });
  }
}
