import type { Child, Dataset } from "./dataset.ts";
import type { Scenario } from "./scenario.ts";

/** A page with its expected lines. */
export interface ExpectedPage {
  /** Path and number of records before the page: `job0@4`. */
  readonly key: string;
  readonly lines: readonly string[];
  /** True if the page only repeats the one before it. It is written only if it is longer than the hold. */
  readonly repeated: boolean;
}

/**
 * Yields the pages of a job, one after another, for comparison with the pipeline: a page, then the pages of each child job for
 * each of its records, then the next page. It uses no HTTP, and requests nothing ahead.
 */
export function* pagesOf(dataset: Dataset, scenario: Scenario, parentId?: string): Generator<ExpectedPage> {
  const { probeEnd, limitStop, method, maxPages = Number.POSITIVE_INFINITY } = scenario;
  const size = dataset.size ?? scenario.size;
  const total = dataset.reportsTotal ? dataset.records.length : Number.POSITIVE_INFINITY;
  let stride = size;
  let previous = "";
  for (let at = 0, got = 0, number = 1, probed = false; ; number += 1) {
    const records = dataset.page(at, size);
    const repeated = records.length > 0 && records.join() === previous;
    const lines = parentId === undefined ? records : records.map((record) => withParent(record, parentId));
    yield { key: `${dataset.endpoint}@${at}`, lines, repeated };
    if (!repeated) for (const child of dataset.children) yield* below(child, records, scenario);
    got += records.length;
    if (repeated || records.length === 0 || number >= maxPages || (limitStop && got >= total)) return;
    if (records.length < stride) {
      if (!probeEnd || probed || got >= total) return;
      [stride, probed] = [records.length, true];
    }
    previous = records.join();
    at += method === "offset" ? records.length : size;
  }
}

function* below(child: Child, records: readonly string[], scenario: Scenario): Generator<ExpectedPage> {
  for (const record of records) {
    const { id } = JSON.parse(record) as { id: string };
    const dataset = child.filtered && id.endsWith("3") ? undefined : scenario.datasetAt(`${child.name}/${id}`);
    if (dataset !== undefined) yield* pagesOf(dataset, scenario, id);
  }
}

function withParent(record: string, id: string): string {
  const open = record.startsWith("{") ? record.slice(0, -1) : `{"data":${record}`;
  return `${open},"parent_id":"${id}"}`;
}

/** Returns `job0` for `job0@4`. */
export function pathOf(key: string): string {
  return key.split("@", 1)[0] ?? "";
}
