import type { DocumentSummary } from "./document-options.ts";

/**
 * Reads one body and hands out its records as whole lines. Throws DataFault where it is not what it should be; `end`
 * throws IncompleteDocument, or CutBody, where it ended too early. After a throw the reader is of no more use.
 */
export interface RecordReader {
  /** Goes on with the next bytes of the body, cut anywhere. The chunk is not kept. */
  write(chunk: Buffer): void;
  /** Hands out the whole lines that wait. */
  flush(): void;
  /** The body has ended. Hands out the last lines. */
  end(): DocumentSummary;
  /** To be called for a reader that is not read to its end; any number of times. */
  close(): void;
}
