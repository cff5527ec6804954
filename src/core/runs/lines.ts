/** Whole lines on their way to the output. */
export interface Lines {
  /** Data type of the records, and the name of their file with `--split`. */
  readonly dataset: string;
  readonly bytes: Buffer;
  /** Number of lines. */
  readonly records: number;
  /** Time of the answer that contained the records, in Unix milliseconds; only if the output needs it. */
  readonly time?: number | undefined;
}
