import type { Remedies } from "../../core/field-name.ts";
import { type RunOptions, separatesDatasets } from "../../core/runs/run.ts";
import { defaultLimits } from "../../extract/document.ts";
import { type Unique, uniqueOf } from "./unique.ts";

/** The options for reading and writing the records of all jobs of a run. */
export interface ReadingPlan {
  readonly maxDepth: number;
  readonly maxRecordBytes: number;
  readonly maxStringBytes: number;
  /** Maximum size of an unpacked response; undefined for no limit. */
  readonly maxResponseBytes: number | undefined;
  /** True if invalid UTF-8 is an error. */
  readonly strict: boolean;
  /** True if lines are `{"dataType": ..., "record": ...}`. */
  readonly tag: boolean;
  /** True if the output separates datasets. */
  readonly split: boolean;
  /** If present, records are dropped whose key was written before. */
  readonly unique: Unique | undefined;
  /** Maximum number of bytes of a page's lines that wait until the page is known to be good. */
  readonly hold: number;
  readonly remedies?: Remedies | undefined;
  mask(text: string): string;
  /** Called with the size of every received piece of a body. */
  received?: ((bytes: number) => void) | undefined;
}

export function readingPlan(options: RunOptions): ReadingPlan {
  return {
    maxDepth: options.maxDepth ?? defaultLimits.maxDepth,
    maxRecordBytes: options.maxRecordBytes ?? defaultLimits.maxRecordBytes,
    maxStringBytes: options.maxStringBytes ?? defaultLimits.maxStringBytes,
    maxResponseBytes: options.maxResponseBytes,
    strict: options.strict ?? false,
    tag: options.tag ?? false,
    unique: uniqueOf(options.unique, options.uniqueLimit),
    split: separatesDatasets(options.target),
    hold: options.hold ?? 8 * 1024 * 1024,
    remedies: options.remedies,
    mask: (text) => options.secrets.mask(text),
    received: options.received,
  };
}
