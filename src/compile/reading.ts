import type { Unique } from "./unique.ts";

/** How the records of a run are read and written, whatever job they are of. */
export interface ReadingPlan {
  readonly maxDepth: number;
  readonly maxRecordBytes: number;
  readonly maxStringBytes: number;
  /** Invalid UTF-8 is an error. */
  readonly strict: boolean;
  /** Write `{"dataType": ..., "record": ...}`. */
  readonly tag: boolean;
  /** Each dataset goes to a file of its own. */
  readonly split: boolean;
  /** Drop records whose key was written before. */
  readonly unique: Unique | undefined;
  /** Bytes of a page's lines that wait until the page is known to be good. */
  readonly hold: number;
  mask(text: string): string;
  /** Told of the size of every piece of a body that has come. */
  received?: ((bytes: number) => void) | undefined;
}
