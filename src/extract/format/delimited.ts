import { isUtf8 } from "node:buffer";
import { type CsvError, Parser } from "csv-parse";
import { printable } from "../../core/printable.ts";
import type { FormatOptions } from "../../generated/configuration.ts";
import {
  type DocumentOptions,
  type DocumentSummary,
  noEnvelope,
  type ReaderOptions,
  withDefaults,
} from "../document-options.ts";
import { CutBody, DataFault, nameText, tooLong } from "../fault.ts";
import type { RecordReader } from "../record-reader.ts";

/** Lines are handed out when so many characters of them wait. */
const handful = 196_608;

/**
 * Reads CSV and TSV: each row is an object of texts under the names of the header row, or of the `header` list. Values
 * are the exact texts. A row of more or fewer fields, a misplaced quote, a name twice or empty is a DataFault with its line.
 */
export class DelimitedReader implements RecordReader {
  readonly #options: ReaderOptions;
  readonly #parser: Parser;
  /** `"name":` of each column; undefined before the header. */
  #keys: readonly string[] | undefined;
  #text = "";
  #waiting = 0;
  #records = 0;
  #bytes = 0;
  /** The first bytes of a character that the last chunk has cut. */
  #cut: Buffer = nothing;
  #invalidUtf8 = false;
  #failure: Error | undefined;
  #closed = false;

  constructor(format: FormatOptions & { readonly delimiter: string }, options: DocumentOptions) {
    this.#options = withDefaults(options);
    const { delimiter, quote = '"', skipLines = 0, comment, header } = format;
    if (Array.isArray(header)) this.#keys = this.#header(header, 0);
    this.#parser = new Parser({
      delimiter,
      quote: quote === false ? null : quote,
      escape: quote === false ? null : quote,
      comment: comment ?? null,
      comment_no_infix: true,
      from_line: skipLines + 1,
      // Any of them: one that is only guessed from the first line loses rows where a file mixes them.
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      max_record_size: this.#options.maxRecordBytes,
      on_record: (row: readonly string[], { lines }: { lines: number }) => {
        this.#row(row, lines);
        return undefined;
      },
    });
    this.#parser.on("error", (error) => {
      this.#failure ??= error;
    });
  }

  write(chunk: Buffer): void {
    if (this.#closed) throw new Error("the reader is closed");
    this.#bytes += chunk.length;
    this.#checkText(chunk);
    // Copied: the parser keeps what may be cut, and the chunk is not to be kept.
    this.#run((done) => this.#parser._transform(Buffer.from(chunk), "utf8", done));
    if (this.#text.length >= handful) this.flush();
  }

  flush(): void {
    if (this.#waiting === 0) return;
    const records = this.#waiting;
    const bytes = Buffer.from(this.#text);
    this.#text = "";
    this.#waiting = 0;
    this.#options.lines(bytes, records);
  }

  end(): DocumentSummary {
    if (this.#cut.length > 0) this.#invalidUtf8 = true;
    if (this.#bytes > 0) this.#run((done) => this.#parser._flush(done));
    this.flush();
    this.close();
    return {
      ...noEnvelope,
      empty: this.#bytes === 0,
      records: this.#records,
      bytes: this.#bytes,
      found: true,
      invalidUtf8: this.#invalidUtf8,
    };
  }

  close(): void {
    this.#closed = true;
  }

  /** The parser is a stream, but does its work before it calls back; as a stream it would end only later. */
  #run(work: (done: (error?: Error | null) => void) => void): void {
    work((error) => {
      this.#failure ??= error ?? undefined;
    });
    if (this.#failure !== undefined) throw this.#explain(this.#failure);
  }

  #row(row: readonly string[], line: number): void {
    if (this.#failure !== undefined) return;
    if (this.#keys === undefined) {
      this.#keys = this.#header(row, line);
      return;
    }
    const keys = this.#keys;
    if (row.length !== keys.length) {
      // A blank line; where there is one column it is a record with an empty value.
      if (row.length === 1 && row[0] === "") return;
      const fields = `${row.length} ${row.length === 1 ? "field" : "fields"}`;
      this.#failure = new DataFault(`line ${line} has ${fields}, and the header ${keys.length}`);
      return;
    }
    let text = "{";
    for (let index = 0; index < row.length; index += 1) text += `${keys[index]}${JSON.stringify(row[index])}`;
    this.#text += `${text}}\n`;
    this.#waiting += 1;
    this.#records += 1;
  }

  /** Throws or remembers a DataFault where the names cannot be keys. */
  #header(names: readonly string[], line: number): readonly string[] {
    const where = line === 0 ? 'the list in "header"' : `the header in line ${line}`;
    const { maxStringBytes } = this.#options;
    const seen = new Set<string>();
    for (const [index, name] of names.entries()) {
      const fault =
        name === ""
          ? `${where} has no name for column ${index + 1}`
          : seen.has(name)
            ? `${where} has the name ${nameText(printable(name))} twice`
            : undefined;
      if (fault !== undefined) this.#failure ??= new DataFault(`${fault}; "header" can give the names`);
      seen.add(name);
    }
    const length = names.reduce((sum, name) => sum + name.length, 0);
    if (length > maxStringBytes) this.#failure ??= new DataFault(`${where} is longer than ${maxStringBytes} bytes`);
    return names.map((name, index) => `${index === 0 ? "" : ","}${JSON.stringify(name)}:`);
  }

  /** Bytes that are not UTF-8 become U+FFFD in the parser. */
  #checkText(chunk: Buffer): void {
    if (this.#invalidUtf8) return;
    const whole = this.#cut.length === 0 ? chunk : Buffer.concat([this.#cut, chunk]);
    const end = whole.length - cutBytes(whole);
    if (!isUtf8(whole.subarray(0, end))) this.#invalidUtf8 = true;
    this.#cut = Buffer.from(whole.subarray(end));
  }

  #explain(error: Error): Error {
    this.close();
    const { code, lines } = error as CsvError & { lines?: number };
    if (code === undefined || error instanceof DataFault) return error;
    const line = lines ?? 1;
    switch (code) {
      case "CSV_MAX_RECORD_SIZE":
        return new DataFault(`line ${line}: ${tooLong(this.#options.maxRecordBytes)}`);
      case "CSV_QUOTE_NOT_CLOSED":
        return new CutBody(`the response ends inside a quoted field (line ${line})`);
      default:
        return new DataFault(`line ${line} cannot be read: ${quoteFaults[code] ?? printable(error.message)}`);
    }
  }
}

const nothing = Buffer.alloc(0);

/** How many bytes at the end are the beginning of a character of more. */
function cutBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3; back += 1) {
    const byte = bytes.at(-back) ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

const quoteFaults: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: "behind a closing quote stands more than a delimiter or the line's end",
  INVALID_OPENING_QUOTE: "a quote stands inside a field that is not quoted",
  CSV_INVALID_OPENING_QUOTE: "a quote stands inside a field that is not quoted",
};
