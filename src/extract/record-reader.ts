import type { DocumentSummary } from "./document-options.ts";

/**
 * Reads one body and emits its records as whole lines. Throws DataFault if the body is faulty; `end` throws IncompleteDocument or
 * CutBody if the body ended too early. After a throw, the reader must not be used again.
 */
export interface RecordReader {
  /** Reads the next bytes of the body, cut anywhere. The chunk is not kept. */
  write(chunk: Buffer): void;
  /** Emits the whole lines that wait. */
  flush(): void;
  /** Ends the body and emits the last lines. */
  end(): DocumentSummary;
  /** Frees what the reader uses. Must be called for a reader whose `end` is not called. Further calls do nothing. */
  close(): void;
}
