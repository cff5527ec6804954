import { isUtf8 } from "node:buffer";
import type { Path } from "../../core/path.ts";
import { createBodyOffset } from "../body-offset.ts";
import { type DocumentOptions, type DocumentSummary, defaultLimits, noEnvelope } from "../document-options.ts";
import { CutBody, tooDeep, tooLong } from "../fault.ts";
import { elements, findPath, isNothing, spanText } from "../raw.ts";
import type { RecordReader } from "../record-reader.ts";
import { recordsOf } from "../records.ts";
import { leaseScanner, type Scanner } from "../scanner.ts";

/**
 * Reads NDJSON (JSON lines, JSON text sequences): each line that is not blank is a record, any JSON value, checked and
 * copied by the scanner as the records of a document are. With a data field the records stand within each line.
 */
export class LineReader implements RecordReader {
  readonly #options: Required<DocumentOptions>;
  readonly #scanner: Scanner;
  readonly #release: () => void;
  readonly #offset = createBodyOffset();
  #records = 0;
  /** Lines without a value at the data field do not make it found. */
  #found = false;
  #invalidUtf8 = false;
  #closed = false;

  constructor(options: DocumentOptions) {
    this.#options = { ...defaultLimits, ...options };
    const { scanner, release } = leaseScanner((bytes, records) => this.#lines(bytes, records));
    this.#scanner = scanner;
    this.#release = release;
    scanner.reset(this.#options.maxRecordBytes);
    scanner.begin("lines", true, this.#options.maxDepth);
  }

  write(chunk: Buffer): void {
    if (this.#closed) throw new Error("the reader is closed");
    this.#offset.enter(chunk);
    if (chunk.length > 0) this.#scan();
    this.#offset.leave();
  }

  flush(): void {
    if (!this.#closed) this.#scanner.flush();
  }

  end(): DocumentSummary {
    if (!this.#scanner.finishLines()) {
      this.close();
      throw new CutBody(`the response ends inside its last line, after ${this.#offset.before} bytes`);
    }
    this.flush();
    const lines = this.#scanner.records;
    this.close();
    return {
      ...noEnvelope,
      empty: lines === 0,
      records: this.#records,
      bytes: this.#offset.before,
      found: this.#options.dataField === undefined || this.#found,
      invalidUtf8: this.#invalidUtf8,
    };
  }

  close(): void {
    this.#closed = true;
    this.#release();
  }

  #scan(): void {
    const { maxDepth, maxRecordBytes } = this.#options;
    const outcome = this.#scanner.scan(this.#offset.chunk, 0);
    if (outcome === "more") return;
    const message =
      outcome === "too deep" ? tooDeep(maxDepth) : outcome === "too long" ? tooLong(maxRecordBytes) : undefined;
    const where = ` in line ${this.#scanner.records + 1} that is not blank`;
    this.close();
    throw this.#offset.fault(this.#scanner.position, message, where);
  }

  #lines(bytes: Buffer, records: number): void {
    const valid = isUtf8(bytes);
    if (!valid) this.#invalidUtf8 = true;
    const whole = valid ? bytes : Buffer.from(bytes.toString("utf8"));
    const { dataField, lines } = this.#options;
    if (dataField === undefined || dataField.length === 0) {
      this.#records += records;
      lines(whole, records);
      return;
    }
    const texts: string[] = [];
    for (const line of recordsOf(whole)) texts.push(...this.#within(line, dataField));
    this.#records += texts.length;
    if (texts.length > 0) lines(Buffer.from(`${texts.join("\n")}\n`), texts.length);
  }

  /** The records at the data field of one line, as a data field finds them in a document (contract C-7.2). */
  #within(line: Buffer, dataField: Path): readonly string[] {
    const span = findPath(line, dataField);
    if (span === undefined) return [];
    this.#found = true;
    if (line[span.start] === openBracket) {
      return [...elements(line, span.start)].map((element) => spanText(line, element));
    }
    const text = spanText(line, span);
    return isNothing(text) ? [] : [text];
  }
}

const openBracket = 0x5b;
