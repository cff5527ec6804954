import type { FormatOptions, FormatType } from "../../generated/configuration.ts";
import { DocumentReader } from "../document.ts";
import type { DocumentOptions } from "../document-options.ts";
import { PartReader } from "../packed/part-reader.ts";
import type { RecordReader } from "../record-reader.ts";
import { LineReader } from "./lines.ts";

type Create = (format: FormatOptions, options: DocumentOptions) => RecordReader;

/** CSV and TSV are rarer than JSON, so their reader is loaded on demand. */
const formats = {
  json: async () => (_format, options) => new DocumentReader(options),
  ndjson: async () => (_format, options) => new LineReader(options),
  csv: () => delimited(","),
  tsv: () => delimited("\t"),
} satisfies { readonly [T in FormatType]: () => Promise<Create> };

async function delimited(delimiter: string): Promise<Create> {
  const { DelimitedReader } = await import("./delimited.ts");
  return (format, options) => new DelimitedReader({ delimiter, ...format }, options);
}

/** Creates a reader for a body of this format. In a zip, it reads each member like a body. */
export async function createReader(format: FormatOptions, options: DocumentOptions): Promise<RecordReader> {
  const create = await formats[format.type]();
  return new PartReader(() => create(format, options));
}
