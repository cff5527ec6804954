import { parseValue, type Value } from "../../../core/value.ts";
import { DelimitedReader } from "../../../extract/format/delimited.ts";

/** What may part the fields of CSV, the usual one first. */
const delimiters = [",", ";", "\t", "|"];

/** A table's rows as records, and the `format` that a job reads it by; `records`: undefined where it cannot be read. */
export function readTable(
  text: string,
  type: "csv" | "tsv",
): { readonly format: Value; readonly records: readonly Value[] | undefined } {
  const header = text.slice(0, text.search(/[\r\n]|$/));
  const columns = (delimiter: string): number => header.split(delimiter).length;
  const best = delimiters.reduce((a, b) => (columns(b) > columns(a) ? b : a));
  const usual = type === "csv" ? "," : "\t";
  const delimiter = type === "csv" ? best : usual;
  const format = delimiter === usual ? type : { type, delimiter };
  return { format, records: rows(text, type, delimiter) };
}

function rows(text: string, type: "csv" | "tsv", delimiter: string): readonly Value[] | undefined {
  const lines: string[] = [];
  try {
    const reader = new DelimitedReader(
      { type, delimiter },
      {
        dataField: undefined,
        watch: [],
        evidence: false,
        lines: (bytes) => void lines.push(...bytes.toString().split("\n")),
      },
    );
    reader.write(Buffer.from(text));
    reader.end();
  } catch {
    return undefined;
  }
  return lines.filter((line) => line !== "").map((line) => parseValue(line));
}
