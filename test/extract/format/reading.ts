import type { DocumentOptions, DocumentSummary } from "../../../src/extract/document-options.ts";
import { createReader } from "../../../src/extract/format/index.ts";
import type { FormatOptions } from "../../../src/generated/configuration.ts";
import type { Random } from "../../helpers/random.ts";

export interface Read {
  readonly output: string;
  readonly summary: DocumentSummary;
}

/** Reads a body that comes in these pieces. Overwrites the memory of each piece afterwards, as a socket may do. */
export async function readAs(
  format: FormatOptions,
  pieces: Iterable<Buffer>,
  options: Partial<DocumentOptions> = {},
): Promise<Read> {
  const chunks: Buffer[] = [];
  let counted = 0;
  const reader = await createReader(format, {
    dataField: undefined,
    watch: [],
    evidence: false,
    lines: (bytes, records) => {
      chunks.push(Buffer.from(bytes));
      counted += records;
    },
    ...options,
  });
  try {
    for (const piece of pieces) {
      const copy = Buffer.from(piece);
      reader.write(copy);
      copy.fill(0x23);
    }
    const summary = reader.end();
    if (summary.records !== counted)
      throw new Error(`the summary has ${summary.records} records, but ${counted} were emitted`);
    return { output: Buffer.concat(chunks).toString(), summary };
  } finally {
    reader.close();
  }
}

/** Yields the bytes in pieces of random sizes. */
export function* cutAtRandom(bytes: Buffer, random: Random, longest: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const size = random.between(1, longest);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
