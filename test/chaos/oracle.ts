import type { Child, Dataset } from "./dataset.ts";
import type { Scenario } from "./scenario.ts";

/** A page as it must come. */
export interface ExpectedPage {
  /** Path and number of records before it: `job0@4`. */
  readonly key: string;
  readonly lines: readonly string[];
  /** The page only repeats the one before it. It is written only where it is longer than the hold. */
  readonly repeated: boolean;
}

/**
 * The pages of a job, one after another: what the pipeline is measured by. A page's records, then for each child job
 * each record's pages, then the next page. No HTTP, nothing ahead of its turn.
 */
export function* pagesOf(dataset: Dataset, scenario: Scenario, parentId?: string): Generator<ExpectedPage> {
  const { probeEnd, limitStop, method, maxPages = Number.POSITIVE_INFINITY } = scenario;
  const size = dataset.size ?? scenario.size;
  const total = dataset.tellsTotal ? dataset.records.length : Number.POSITIVE_INFINITY;
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

/** `job0` of `job0@4`. */
export function pathOf(key: string): string {
  return key.split("@", 1)[0] ?? "";
}
