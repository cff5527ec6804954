import { printable } from "../../core/text/printable.ts";
import type { FormatOptions } from "../../generated/configuration.ts";
import {
  type DocumentOptions,
  type DocumentSummary,
  noEnvelope,
  type ReaderOptions,
  withDefaults,
} from "../document-options.ts";
import { beginning, CutBody, DataFault, nameText, tooLong } from "../fault.ts";
import type { RecordReader } from "../record-reader.ts";
import { cr, type Dialect, dialectOf, isAt, lf } from "./dialect.ts";
import { LoneDocument } from "./lone-document.ts";
import { RowWriter } from "./row-writer.ts";

/** Place of the next byte: at a line's start, in a skipped line, at a field's start, in a field (two kinds), after a closing quote. */
type State = "row" | "skipped" | "field" | "unquoted" | "quoted" | "afterQuote";

/**
 * Reads CSV and TSV. Each row becomes an object of texts. The names come from the header row or the `header` list. The bytes of a
 * text are copied without decoding, except that invalid UTF-8 becomes U+FFFD. Throws a DataFault that names the row's first line
 * for too many or too few fields, a misplaced quote, and an empty or duplicate name.
 */
export class DelimitedReader implements RecordReader {
  readonly #options: ReaderOptions;
  readonly #dialect: Dialect;
  readonly #rows: RowWriter;
  #state: State = "row";
  /** Number of lines still to be skipped. */
  #skip: number;
  /** Number of the current line, from 1. */
  #line = 1;
  /** Number of the line in which the current row began. */
  #rowLine = 1;
  /** Last bytes of the previous chunk, whose meaning depends on what follows. */
  #rest: Buffer = noBytes;
  #bytes = 0;
  /** First bytes of the body. They show whether it is HTML or another format. */
  #head: Buffer = noBytes;
  readonly #document = new LoneDocument();
  #closed = false;

  constructor(format: FormatOptions & { readonly delimiter: string }, options: DocumentOptions) {
    this.#options = withDefaults(options);
    this.#dialect = dialectOf(format);
    this.#skip = format.skipLines ?? 0;
    const { maxRecordBytes: maxLineBytes, maxStringBytes: maxNameBytes, lines } = this.#options;
    const longRow = (): DataFault => new DataFault(`line ${this.#rowLine}: ${tooLong(maxLineBytes)}`);
    const namesTooLong = (): DataFault =>
      new DataFault(`the header in line ${this.#rowLine} is longer than ${maxNameBytes} bytes`);
    this.#rows = new RowWriter({ maxLineBytes, tooLong: longRow, maxNameBytes, namesTooLong, lines });
    if (Array.isArray(format.header)) this.#name(format.header, 'the list in "header"');
  }

  write(chunk: Buffer): void {
    if (this.#closed) throw new Error("the reader is closed");
    this.#bytes += chunk.length;
    if (this.#head.length < headBytes) this.#refuseOthers(chunk);
    this.#document.add(chunk);
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const index = this.#read(bytes, bytes.length - this.#dialect.longest + 1);
    this.#rest = index === bytes.length ? noBytes : Buffer.from(bytes.subarray(index));
  }

  flush(): void {
    this.#rows.flush();
  }

  end(): DocumentSummary {
    this.#read(this.#rest, this.#rest.length);
    if (this.#state === "quoted") {
      this.close();
      throw new CutBody(`the response ends inside a quoted field (line ${this.#rowLine})`);
    }
    if (this.#state === "field") this.#rows.beginField();
    if (this.#state !== "row" && this.#state !== "skipped") this.#endRow();
    this.flush();
    this.close();
    const { records, invalidUtf8 } = this.#rows;
    const lone = this.#document.text;
    return { ...noEnvelope, empty: this.#bytes === 0, records, bytes: this.#bytes, found: true, invalidUtf8, lone };
  }

  close(): void {
    this.#closed = true;
  }

  /**
   * Throws DataFault for a body that is not a table. Each line of a login page or picture would otherwise become a row of one
   * field.
   */
  #refuseOthers(chunk: Buffer): void {
    this.#head = Buffer.concat([this.#head, chunk.subarray(0, headBytes - this.#head.length)]);
    if (!noTable.test(this.#head.toString("latin1"))) return;
    this.close();
    const message = `the response is not a table: ${beginning(this.#head, this.#head.length === headBytes)}`;
    throw new DataFault(message, undefined, { format: "table", head: this.#head });
  }

  /**
   * Reads from the start of `bytes` to `limit`. A delimiter, quote, escape or line break that begins before `limit` is read to its
   * end. Returns the index where it stopped.
   */
  #read(bytes: Buffer, limit: number): number {
    let index = 0;
    try {
      while (index < limit) index = this.#next(bytes, index, limit);
    } catch (error) {
      this.close();
      throw error;
    }
    return index;
  }

  #next(bytes: Buffer, index: number, limit: number): number {
    switch (this.#state) {
      case "row":
        return this.#beginRow(bytes, index);
      case "skipped":
        return this.#pass(bytes, index, limit);
      case "field":
        return this.#beginField(bytes, index);
      case "unquoted":
        return this.#unquoted(bytes, index, limit);
      case "quoted":
        return this.#quoted(bytes, index, limit);
      case "afterQuote":
        return this.#afterQuote(bytes, index);
    }
  }

  #beginRow(bytes: Buffer, index: number): number {
    this.#rowLine = this.#line;
    this.#state = this.#skip > 0 || isAt(bytes, index, this.#dialect.comment) ? "skipped" : "field";
    return index;
  }

  /** Reads a line that is not a row: a skipped line or a comment. */
  #pass(bytes: Buffer, index: number, limit: number): number {
    let end = index;
    while (end < limit && bytes[end] !== lf && bytes[end] !== cr) end += 1;
    if (end === limit) return end;
    this.#skip = Math.max(0, this.#skip - 1);
    this.#state = "row";
    return this.#lineEnd(bytes, end);
  }

  #beginField(bytes: Buffer, index: number): number {
    const { quote } = this.#dialect;
    const isQuoted = isAt(bytes, index, quote);
    this.#rows.beginField();
    this.#state = isQuoted ? "quoted" : "unquoted";
    return isQuoted ? index + (quote?.length ?? 0) : index;
  }

  #unquoted(bytes: Buffer, from: number, limit: number): number {
    const index = this.#rows.copy(bytes, from, limit, this.#dialect.unquoted);
    if (index >= limit) return index;
    const escaped = this.#escaped(bytes, index);
    if (escaped !== undefined) return escaped;
    if (isAt(bytes, index, this.#dialect.quote)) throw this.#fault("there is a quote inside an unquoted field");
    return this.#fieldEnd(bytes, index) ?? this.#ordinary(bytes, index);
  }

  #quoted(bytes: Buffer, from: number, limit: number): number {
    const { quote = noBytes, quoted } = this.#dialect;
    const index = this.#rows.copy(bytes, from, limit, quoted);
    if (index >= limit) return index;
    const escaped = this.#escaped(bytes, index);
    if (escaped !== undefined) return escaped;
    if (isLineBreak(bytes[index])) return this.#copyTo(this.#lineEnd(bytes, index), bytes, index);
    if (!isAt(bytes, index, quote)) return this.#ordinary(bytes, index);
    const afterQuote = index + quote.length;
    if (!isAt(bytes, afterQuote, quote)) {
      this.#state = "afterQuote";
      return afterQuote;
    }
    return this.#copyTo(afterQuote + quote.length, bytes, afterQuote);
  }

  /**
   * Drops an escape, copies the delimiter, quote, escape or line break after it as part of the field, and returns the index after
   * that. Returns undefined if there is no escape at `index`, or something else follows it.
   */
  #escaped(bytes: Buffer, index: number): number | undefined {
    const { delimiter, quote, escape: sign } = this.#dialect;
    if (sign === undefined || !isAt(bytes, index, sign)) return undefined;
    const afterSign = index + sign.length;
    if (isLineBreak(bytes[afterSign])) return this.#copyTo(this.#lineEnd(bytes, afterSign), bytes, afterSign);
    const meant = [sign, quote, delimiter].find((mark) => isAt(bytes, afterSign, mark));
    return meant === undefined ? undefined : this.#copyTo(afterSign + meant.length, bytes, afterSign);
  }

  /** Copies bytes up to `end` as part of the field, even if they could have a meaning, and returns `end`. */
  #copyTo(end: number, bytes: Buffer, from: number): number {
    for (let index = from; index < end; index += 1) this.#rows.byte(bytes[index] ?? 0);
    return end;
  }

  #afterQuote(bytes: Buffer, index: number): number {
    const end = this.#fieldEnd(bytes, index);
    if (end === undefined) throw this.#fault("a closing quote is not followed by a delimiter or the end of the line");
    return end;
  }

  /** Copies a byte that could begin a sequence with a meaning, but does not. */
  #ordinary(bytes: Buffer, index: number): number {
    this.#rows.byte(bytes[index] ?? 0);
    return index + 1;
  }

  /** Ends the field at a delimiter or a line break, and returns the index after it. Undefined if there is neither. */
  #fieldEnd(bytes: Buffer, index: number): number | undefined {
    if (bytes[index] === lf || bytes[index] === cr) {
      this.#endRow();
      this.#state = "row";
      return this.#lineEnd(bytes, index);
    }
    const { delimiter } = this.#dialect;
    if (!isAt(bytes, index, delimiter)) return undefined;
    this.#rows.endField();
    this.#state = "field";
    return index + delimiter.length;
  }

  /** Returns the index after the line break at `index`. */
  #lineEnd(bytes: Buffer, index: number): number {
    this.#line += 1;
    return bytes[index] === cr && bytes[index + 1] === lf ? index + 2 : index + 1;
  }

  #endRow(): void {
    this.#rows.endField();
    const { names, fields } = this.#rows.endRow() ?? {};
    if (names !== undefined) this.#name(names, `the header in line ${this.#rowLine}`);
    if (fields === undefined) return;
    const found = `${fields} ${fields === 1 ? "field" : "fields"}`;
    throw new DataFault(`line ${this.#rowLine} has ${found}, but the header has ${this.#rows.columns}`);
  }

  /** Sets the names of the columns. Throws DataFault if they cannot be keys. */
  #name(names: readonly string[], where: string): void {
    const { maxStringBytes } = this.#options;
    const earlierNames = new Set<string>();
    const remedy = '; "header" can give the names';
    for (const [index, name] of names.entries()) {
      if (name.includes("\0")) throw new DataFault(`${where} holds a NUL byte: the response is not a table`);
      if (name === "") throw new DataFault(`${where} has no name for column ${index + 1}${remedy}`);
      if (earlierNames.has(name))
        throw new DataFault(`${where} has the name ${nameText(printable(name))} twice${remedy}`);
      earlierNames.add(name);
    }
    const length = names.reduce((sum, name) => sum + name.length, 0);
    if (length > maxStringBytes) throw new DataFault(`${where} is longer than ${maxStringBytes} bytes`);
    this.#rows.name(names);
  }

  #fault(what: string): DataFault {
    return new DataFault(`line ${this.#rowLine} cannot be read: ${what}`);
  }
}

function isLineBreak(byte: number | undefined): boolean {
  return byte === lf || byte === cr;
}

const noBytes = Buffer.alloc(0);

/** Number of first bytes of the body that are examined, and shown in a message. */
const headBytes = 100;

/** First bytes of HTML, XML, PDF, PNG, gzip and zip. No table begins like this. */
const noTable = /^\s*<(!doctype\s|html[\s>]|\?xml\s)|^(%PDF-|\x89PNG|\x1f\x8b|PK\x03\x04)/i;
