import type { Dataset, Scenario } from "./scenario.ts";

/** A page as it must come. */
export interface ExpectedPage {
  /** Records before it: the offset, or what its number amounts to. */
  readonly at: number;
  readonly lines: readonly string[];
  /** It only repeats the page before it: written only where it is longer than the hold. */
  readonly repeated: boolean;
}

/** The pages of a job, one after another: what the pipeline is measured by. No HTTP, nothing ahead of its turn. */
export function* pagesOf(dataset: Dataset, scenario: Scenario): Generator<ExpectedPage> {
  const { probeEnd, limitStop, method, maxPages = Number.POSITIVE_INFINITY } = scenario;
  const size = dataset.size ?? scenario.size;
  const total = dataset.tellsTotal ? dataset.records.length : Number.POSITIVE_INFINITY;
  let stride = size;
  let previous = "";
  for (let at = 0, got = 0, number = 1, probed = false; ; number += 1) {
    const lines = dataset.page(at, size);
    const repeated = lines.length > 0 && lines.join() === previous;
    yield { at, lines, repeated };
    got += lines.length;
    if (repeated || lines.length === 0 || number >= maxPages || (limitStop && got >= total)) return;
    if (lines.length < stride) {
      if (!probeEnd || probed || got >= total) return;
      [stride, probed] = [lines.length, true];
    }
    previous = lines.join();
    at += method === "offset" ? lines.length : size;
  }
}
