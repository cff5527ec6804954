/** Whole lines on their way to the output. */
export interface Lines {
  /** Data type of the records, which names their file with `--split`. */
  readonly dataset: string;
  readonly bytes: Buffer;
  /** Number of lines. */
  readonly records: number;
  /** Time of the answer that they come from, in Unix milliseconds, if the output needs it. */
  readonly time?: number | undefined;
}
