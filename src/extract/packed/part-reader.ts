import type { DocumentSummary } from "../document-options.ts";
import type { RecordReader } from "../record-reader.ts";
import { border } from "./border.ts";

/** Reads the members of a zip in turn, each with a new reader. A body that is not a zip is read as one member. */
export class PartReader implements RecordReader {
  readonly #create: () => RecordReader;
  #part: RecordReader;
  #sum: DocumentSummary | undefined;

  constructor(create: () => RecordReader) {
    this.#create = create;
    this.#part = create();
  }

  write(chunk: Buffer): void {
    if (chunk !== border) {
      this.#part.write(chunk);
      return;
    }
    this.#sum = mergeSummaries(this.#sum, this.#part.end());
    this.#part = this.#create();
  }

  flush(): void {
    this.#part.flush();
  }

  end(): DocumentSummary {
    return mergeSummaries(this.#sum, this.#part.end());
  }

  close(): void {
    this.#part.close();
  }
}

/** Joins two summaries. For paging, the envelope of the last member counts. */
function mergeSummaries(before: DocumentSummary | undefined, last: DocumentSummary): DocumentSummary {
  if (before === undefined) return last;
  return {
    ...last,
    empty: before.empty && last.empty,
    records: before.records + last.records,
    bytes: before.bytes + last.bytes,
    misfit: before.misfit ?? last.misfit,
    selection: before.selection?.notice === undefined ? last.selection : before.selection,
    found: before.found || last.found,
    elsewhere: before.elsewhere ?? last.elsewhere,
    invalidUtf8: before.invalidUtf8 || last.invalidUtf8,
    lone: undefined,
  };
}
