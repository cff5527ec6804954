import { isUtf8 } from "node:buffer";
import { type Path, pathText } from "../../core/values/path.ts";
import { BodyOffset } from "../body-offset.ts";
import {
  type DocumentOptions,
  type DocumentSummary,
  noEnvelope,
  type ReaderOptions,
  withDefaults,
} from "../document-options.ts";
import { CutBody, tooDeep, tooLong } from "../fault.ts";
import { openBrace, openBracket } from "../json-bytes.ts";
import { elements, findPath, isNothing, members, spanText } from "../raw.ts";
import type { RecordReader } from "../record-reader.ts";
import { recordsOf } from "../records.ts";
import { leaseScanner, type Scanner } from "../scanner.ts";
import { type ElementSource, mergeSelections, Selector } from "../selection.ts";
import { LoneDocument } from "./lone-document.ts";

/**
 * Reads NDJSON (JSON lines, JSON text sequences). Each line that is not blank is a record of any JSON type. The scanner checks and
 * copies it like the records of a document. With a data field, the records are inside each line.
 */
export class LineReader implements RecordReader {
  readonly #options: ReaderOptions;
  readonly #scanner: Scanner;
  readonly #release: () => void;
  readonly #selector: Selector | undefined;
  readonly #offset = new BodyOffset();
  readonly #document = new LoneDocument();
  #records = 0;
  /** True if any line had a value at the data field. */
  #found = false;
  #invalidUtf8 = false;
  #closed = false;

  constructor(options: DocumentOptions) {
    this.#options = withDefaults(options);
    const { dataField = [], selection, maxRecordBytes } = this.#options;
    this.#selector = selection && new Selector(selection, pathText(dataField) || ".", maxRecordBytes);
    const { scanner, release } = leaseScanner((bytes, records) => this.#lines(bytes, records));
    this.#scanner = scanner;
    this.#release = release;
    scanner.reset(this.#options.maxRecordBytes);
    scanner.begin("lines", true, this.#options.maxDepth);
  }

  write(chunk: Buffer): void {
    if (this.#closed) throw new Error("the reader is closed");
    this.#document.add(chunk);
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
      misfit: this.#selector?.misfit,
      selection: this.#selector,
      records: this.#records,
      bytes: this.#offset.before,
      found: this.#options.dataField === undefined || this.#found,
      invalidUtf8: this.#invalidUtf8,
      lone: lines === 1 ? this.#document.text : undefined,
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
    const where = ` in line ${this.#scanner.records + 1} (blank lines not counted)`;
    this.close();
    throw this.#offset.fault(this.#scanner.position, message, where);
  }

  #lines(bytes: Buffer, records: number): void {
    const valid = isUtf8(bytes);
    if (!valid) this.#invalidUtf8 = true;
    const validBytes = valid ? bytes : Buffer.from(bytes.toString("utf8"));
    const { dataField, selection, lines } = this.#options;
    if (selection === undefined && (dataField === undefined || dataField.length === 0)) {
      this.#records += records;
      lines(validBytes, records);
      return;
    }
    const found = [...recordsOf(validBytes)].flatMap((line) =>
      elementsAt(line, dataField ?? [], selection?.values === true),
    );
    if (found.length > 0) this.#found = true;
    const selector = this.#selector;
    const selected =
      selector === undefined
        ? withoutSelection(found.flatMap(({ texts }) => texts))
        : mergeSelections(found.map(({ texts, kind }) => selector.select(linesOf(texts), kind)));
    this.#records += selected.elements;
    if (selected.elements > 0) lines(selected.bytes, selected.records, selected.origin);
  }
}

/** Returns the elements at the data field of one line, chosen as in a document (contract C-7.2, C-13.3). */
function elementsAt(
  line: Buffer,
  dataField: Path,
  values: boolean,
): readonly { texts: readonly string[]; kind: ElementSource }[] {
  const span = findPath(line, dataField);
  if (span === undefined) return [];
  const first = line[span.start];
  if (values && first === openBrace) {
    const texts = [...members(line, span.start)].map(
      ({ key, value }) => `${spanText(line, key)}:${spanText(line, value)}`,
    );
    return [{ texts, kind: "members" }];
  }
  const spannedText = spanText(line, span);
  // A line is one record, even if it is a list.
  if (dataField.length === 0 && !values) return [{ texts: [spannedText], kind: "record" }];
  if (first !== openBracket) return [{ texts: isNothing(spannedText) ? [] : [spannedText], kind: "record" }];
  const texts = [...elements(line, span.start)].map((element) => spanText(line, element));
  // With `values`, the key of an element is its index. It is added here, because the selector would count on from line to line.
  return [
    values ? { texts: texts.map((text, index) => `"${index}":${text}`), kind: "members" } : { texts, kind: "records" },
  ];
}

function withoutSelection(texts: readonly string[]) {
  return { bytes: linesOf(texts), records: texts.length, elements: texts.length, origin: undefined };
}

function linesOf(texts: readonly string[]): Buffer {
  return Buffer.from(texts.map((text) => `${text}\n`).join(""));
}
