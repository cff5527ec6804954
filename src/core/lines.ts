/** Whole lines on their way to the output. */
export interface Lines {
  /** The data type of the records, which names their file under `--split`. */
  readonly dataset: string;
  readonly bytes: Buffer;
  /** How many lines. */
  readonly records: number;
  /** When the answer came that they are of, Unix milliseconds; where the output asks for it. */
  readonly at?: number | undefined;
}
