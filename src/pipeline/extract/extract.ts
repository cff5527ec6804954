import { asSpileError } from "../../core/errors.ts";
import type { Lines } from "../../core/runs/lines.ts";
import type { Mark } from "../../output/sink.ts";
import type { Counts, Opened, OpenedPage, OpenedSteps, Outcome, Page } from "../page.ts";
import { Hold } from "./hold.ts";
import type { ExtractOptions } from "./options.ts";
import { type BodyProgress, readPage } from "./read-page.ts";
import { createSieve, noSieve, type Sieve } from "./sieve.ts";

/**
 * Creates the extract stage. It takes opened pages, emits their whole lines one page after the other, and reports to the source
 * how each page ended.
 */
export function extract(options: ExtractOptions) {
  return (pages: AsyncIterable<Opened>): AsyncGenerator<Lines | Mark> => extractPages(pages, options);
}

async function* extractPages(pages: AsyncIterable<Opened>, options: ExtractOptions): AsyncGenerator<Lines | Mark> {
  const waiting: Opened[] = [];
  for await (const opened of pages) {
    waiting.push(opened);
    for (let next = takeInTurn(waiting); next !== undefined; next = takeInTurn(waiting)) {
      yield* "answers" in next ? passAnswers(next) : extractPage(next, options);
    }
  }
}

/**
 * Removes and returns the page whose turn it is; undefined if it has not arrived yet. Drops the pages whose turn will not come.
 */
function takeInTurn(waiting: Opened[]): Opened | undefined {
  const live = waiting.filter(({ page }) => !page.signal.aborted);
  const next = live.find(({ page }) => page.inTurn());
  waiting.splice(0, waiting.length, ...live.filter((opened) => opened !== next));
  return next;
}

async function* extractPage(opened: OpenedPage, options: ExtractOptions): AsyncGenerator<Lines | Mark> {
  const outcome = yield* outcomeOf(opened, options);
  const { lines, mark } = opened.page.end(outcome);
  yield* lines;
  if (mark !== undefined) yield mark;
}

/** Passes on the answers to steps. They have no lines, but a run can be resumed between them. */
async function* passAnswers({ page, answers, counts }: OpenedSteps): AsyncGenerator<Mark> {
  const counted = (): Counts => ({ writtenRecords: 0, duplicates: 0, bytes: 0, ...counts() });
  let outcome: Outcome;
  page.reads(counted);
  try {
    let next = await answers.next();
    for (; next.done !== true; next = await answers.next()) {
      const mark = page.answered(next.value);
      if (mark !== undefined) yield mark;
    }
    outcome = { kind: "answered", counts: counted(), ended: next.value };
  } catch (error) {
    if (page.signal.aborted) throw error;
    outcome = { kind: "failed", counts: counted(), error: asSpileError(error), waiting: [] };
  }
  const { mark } = page.end(outcome);
  if (mark !== undefined) yield mark;
}

/** Reads a page. Yields the lines that need not wait for its end. */
async function* outcomeOf(opened: OpenedPage, options: ExtractOptions): AsyncGenerator<Lines, Outcome> {
  const { page } = opened;
  const { budget } = options;
  const hold = new Hold(options.hold, options.fingerprintKey, sieveOf(page, options));
  const before = budget.spent;
  const progress: BodyProgress = { bytes: 0 };
  const counts = (): Counts => ({
    writtenRecords: budget.spent - before,
    duplicates: hold.dropped.size,
    bytes: progress.bytes,
    ...opened.counts(),
  });
  page.reads(counts);
  try {
    const reading = yield* readPage(opened, hold, options, progress);
    const waiting = hold.release();
    return reading === undefined
      ? { kind: "full", counts: counts(), waiting }
      : { kind: "read", counts: counts(), ...reading, waiting };
  } catch (error) {
    // The run is being stopped, so this is not a failure of the page.
    if (page.signal.aborted) throw error;
    return { kind: "failed", counts: counts(), error: asSpileError(error), waiting: hold.flowBeforeFailure() };
  }
}

function sieveOf({ keys, run, warn }: Page, { unique, tag }: ExtractOptions): Sieve {
  return unique === undefined || keys === undefined ? noSieve : createSieve(unique, keys(run.plan), { tag, warn });
}
