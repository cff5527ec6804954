import type { PageSummary } from "../core/page.ts";
import type { JobRun } from "./frontier.ts";
import type { Lines } from "./page.ts";
import type { Parent } from "./plan.ts";

/** What is done with the records of one attempt at a page, on their way from the scanner to the output. */
export interface RecordWork {
  /** Raw lines in, the lines to write out. */
  take(bytes: Buffer, records: number): readonly Lines[];
  readonly parents: readonly (readonly Parent[])[];
  readonly extremes: PageSummary["extremes"];
}

export function createRecordWork({ plan }: JobRun, _options: { readonly tag: boolean }): RecordWork {
  return { take: (bytes, records) => [{ dataset: plan.dataType, bytes, records }], parents: [], extremes: undefined };
}
