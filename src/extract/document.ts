import { type Path, pathText } from "../core/values/path.ts";
import type { Role } from "../knowledge/fields.ts";
import { BodyOffset } from "./body-offset.ts";
import { Captures } from "./captures.ts";
import { contentOf, isCandidate, makesRecords, readingOf, type ValueContext, type ValueReading } from "./data-field.ts";
import { type DocumentOptions, type DocumentSummary, type ReaderOptions, withDefaults } from "./document-options.ts";
import { Envelope } from "./envelope.ts";
import { ambiguous, DataFault, maxNamed, nameText, onlyScalar, tooDeep, tooLong } from "./fault.ts";
import { interestOf, watchedWithin } from "./interest.ts";
import { closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } from "./json-bytes.ts";
import { Pieces, whiteEnd } from "./pieces.ts";
import { isNothing } from "./raw.ts";
import type { RecordReader } from "./record-reader.ts";
import { ScannedLines } from "./scanned-lines.ts";
import { leaseScanner, type Scanner } from "./scanner.ts";
import { hasInnerLists } from "./selection.ts";

export { type DocumentOptions, type DocumentSummary, defaultLimits } from "./document-options.ts";
export { DataFault, IncompleteDocument } from "./fault.ts";

/**
 * Bytes kept of a list or object that may be evidence of more records, and of a document's beginning that may be a
 * failure.
 */
const capturedBytes = 4096;
/** Maximum number of bytes of a scalar that may mean "no records", with its line feed. */
const maxNothingBytes = 100;
/**
 * Number of bytes around the records that are searched for another array, which a message names if the data field is not found.
 */
const searchedBytes = 65_536;

/**
 * Reads one response and emits its records as lines, exactly as they came except for white space. stream-json follows the
 * envelope; the scanner checks and copies the records, and checks the values that nobody reads. Memory is bounded by the longest
 * record. Throws DataFault if the document is broken, ambiguous or over a limit; `end` throws IncompleteDocument if the document
 * ends too early. After a throw, the reader must not be used again.
 */
export class DocumentReader implements RecordReader {
  readonly #options: ReaderOptions;
  readonly #envelope: Envelope;
  readonly #pieces: Pieces;
  readonly #scanner: Scanner;
  readonly #release: () => void;
  readonly #lines: ScannedLines;
  #closed = false;
  /** The way in which the next byte is read. `value`: a value comes next, and its first byte decides. */
  #state: ValueReading | "value" | "end" = "value";
  readonly #offset = new BodyOffset();
  readonly #captures = new Captures();
  #beginning: string | undefined;
  #single = false;
  /** First byte of the value that began last. */
  #first: number | undefined;
  #records = 0;
  #found = false;
  #elsewhere: string | undefined;
  #searched = 0;
  /** If records are detected: paths of the root's properties that are arrays; an empty path if the root itself is an array. */
  readonly #arrays: Path[] = [];

  constructor(options: DocumentOptions) {
    this.#options = withDefaults(options);
    this.#envelope = new Envelope(interestOf(options));
    this.#pieces = new Pieces(this.#options.maxStringBytes, (index, message) => this.#fault(index, message));
    const lines = new ScannedLines(this.#options);
    this.#lines = lines;
    const { scanner, release } = leaseScanner((bytes, records) => lines.take(bytes, records));
    this.#scanner = scanner;
    this.#release = release;
    scanner.reset(this.#options.maxRecordBytes);
  }

  write(chunk: Buffer): void {
    if (this.#closed) throw new Error("the reader is closed");
    this.#offset.enter(chunk);
    let index = 0;
    while (index < chunk.length) index = this.#step(index);
    this.#captures.leave(this.#offset.chunk);
    this.#offset.leave();
  }

  flush(): void {
    if (!this.#closed) this.#scanner.flush();
  }

  end(): DocumentSummary {
    if (this.#state !== "end" && this.#first !== undefined) this.#endHere();
    this.flush();
    this.close();
    if (this.#arrays.length > 1) throw ambiguous(this.#arrays.flat(), this.#options.remedies);
    return {
      empty: this.#first === undefined,
      records: this.#records,
      bytes: this.#offset.before,
      misfit: this.#lines.selector?.misfit,
      selection: this.#lines.selector,
      found: this.#found,
      elsewhere: this.#found ? undefined : this.#elsewhere,
      watched: this.#envelope.watched,
      evidence: [...this.#envelope.evidence.values()],
      dataPath: this.#options.dataField ?? this.#arrays[0] ?? [],
      beginning: this.#beginning,
      // An object whose inner lists contain the records is not a record itself.
      single: this.#single && !hasInnerLists(this.#options.selection),
      listWithin: this.#lines.listWithin,
      invalidUtf8: this.#lines.invalidUtf8 || this.#pieces.invalidUtf8,
    };
  }

  close(): void {
    this.#closed = true;
    this.#release();
  }

  #step(start: number): number {
    switch (this.#state) {
      case "value":
        return this.#startValue(start);
      case "text":
        return this.#readText(start);
      case "end": {
        const index = whiteEnd(this.#offset.chunk, start);
        if (index < this.#offset.chunk.length) throw this.#fault(index, undefined, " after the end of the document");
        return index;
      }
      default:
        return this.#scan(start);
    }
  }

  /** Chooses how to read the next value, from `start` on. Returns the index where reading continues. */
  #startValue(start: number): number {
    const index = whiteEnd(this.#offset.chunk, start);
    const byte = this.#offset.chunk[index];
    if (byte === undefined) return index;
    this.#first = byte;
    const context = this.#valueContext();
    const reading = readingOf(byte, context);
    if (isCandidate(context)) this.#detect(byte, index);
    this.#state = reading;
    this.#capture(byte, index, context, reading);
    if (reading === "text") return index;
    if (makesRecords(reading)) {
      this.#found = true;
      this.#envelope.found();
    }
    if (reading === "records" || reading === "members") this.#read(String.fromCharCode(byte), index);
    const { content, opened } = contentOf[reading];
    const levels = this.#options.maxDepth - this.#envelope.depth - (reading === "skipArray" ? 1 : 0);
    if (levels < 0) throw this.#tooDeep(index);
    if (makesRecords(reading)) {
      const long = this.#lines.begin(reading, watchedWithin(context.interest), this.#envelope.watched);
      // If elements may come in pieces, the limit applies to the innermost elements, and `ElementStream` enforces it. So the
      // scanner, which sees only whole elements, gets no limit.
      if (long !== undefined) this.#scanner.reset(Number.POSITIVE_INFINITY);
      this.#scanner.begin(content, true, levels, long);
    } else this.#scanner.begin(content, false, levels);
    return index + opened;
  }

  #valueContext(): ValueContext {
    const { depth } = this.#envelope;
    return {
      interest: this.#envelope.next(),
      depth,
      isInArray: this.#envelope.isInArray,
      isDetecting: this.#options.dataField === undefined,
      hasValues: this.#options.selection?.values === true,
      isExcluded: this.#arrays.length > 0 || (depth === 1 && this.#isErrors()),
      isSearching: !this.#found && this.#elsewhere === undefined && this.#searched < searchedBytes,
    };
  }

  #isErrors(): boolean {
    return pathText(this.#envelope.path()) === "errors";
  }

  /**
   * Starts to copy a list or object that is watched or may be evidence, and the beginning of a document that may be a
   * failure.
   */
  #capture(byte: number, index: number, { interest, depth }: ValueContext, reading: ValueReading): void {
    const isText = byte === quote && depth === 0;
    if (makesRecords(reading) || (byte !== openBracket && byte !== openBrace && !isText)) return;
    const { evidence, maxStringBytes } = this.#options;
    if (depth === 0 && evidence) {
      this.#captures.begin(depth, index, capturedBytes, (text) => {
        this.#beginning = text;
      });
    }
    if (interest === undefined || interest.leads || isText) return;
    const type = byte === openBracket ? "array" : "object";
    const { watch } = interest;
    if (watch !== undefined) {
      this.#captures.begin(depth, index, maxStringBytes, (text, whole) => {
        this.#envelope.watched.set(watch, { type, text: whole ? text : "", empty: isEmpty(text) });
      });
    }
    if (interest.evidence === undefined || !holdsEvidence(interest.evidence, type)) return;
    const evidenceAt = this.#envelope.path();
    this.#captures.begin(depth, index, capturedBytes, (text) => {
      this.#envelope.addEvidence({ path: evidenceAt, value: { type, text, empty: isEmpty(text) } });
    });
  }

  /** Notes the path of an array that may be the records. Throws DataFault for a second value under its name. */
  #detect(byte: number, index: number): void {
    const path = this.#envelope.path();
    const [name = ""] = path;
    if (this.#arrays[0]?.[0] === name) throw this.#fault(index, `the response has the key ${nameText(name)} twice`);
    if (byte === openBracket && this.#arrays.length <= maxNamed) this.#arrays.push(path);
  }

  #readText(start: number): number {
    const index = this.#pieces.read(this.#offset.chunk, start);
    const { text } = this.#pieces;
    if (text === undefined) return index;
    if (!this.#found) this.#searched += text.length;
    this.#read(text, index - 1);
    this.#endCaptures(index);
    const last = this.#offset.chunk[index - 1];
    if (this.#envelope.depth > this.#options.maxDepth) throw this.#tooDeep(index - 1);
    if (this.#envelope.depth === 0) this.#state = "end";
    else if (last === openBracket || last === colon || (last === comma && this.#envelope.isInArray))
      this.#state = "value";
    return index;
  }

  /** Ends the captures of a list or object that has ended before `index`. */
  #endCaptures(index: number): void {
    const last = this.#offset.chunk[index - 1];
    if (last === closeBracket || last === closeBrace)
      this.#captures.end(this.#envelope.depth, this.#offset.chunk, index);
  }

  /** Gives text to the parser. If the parser reports a fault, it is at `index` or just before. */
  #read(text: string, index: number): void {
    try {
      this.#envelope.read(text);
    } catch (error) {
      throw this.#fault(index, error instanceof DataFault ? error.message : undefined);
    }
  }

  #scan(start: number): number {
    const outcome = this.#scanner.scan(this.#offset.chunk, start);
    const index = this.#scanner.position;
    if (outcome === "broken") throw this.#fault(index);
    if (outcome === "too deep") throw this.#tooDeep(index);
    if (outcome === "too long") throw this.#fault(index, tooLong(this.#options.maxRecordBytes));
    if (outcome === "done") this.#scanned(index);
    return index;
  }

  /** Continues after a value that the scanner has completed. */
  #scanned(index: number): void {
    const reading = this.#state;
    const { records, objects } = this.#scanner;
    if (reading === "records" || reading === "members") {
      this.#records = records;
      this.#envelope.passElements(records);
      this.#read(reading === "records" ? "]" : "}", index);
    } else if (reading === "skipArray") {
      if (objects && !this.#isErrors()) this.#elsewhere ??= pathText(this.#envelope.path()) || ".";
      this.#envelope.pass({ type: "array", text: "", empty: records === 0 });
    } else {
      if (reading === "record") {
        this.#records = this.#isNothing() ? 0 : 1;
        this.#single = this.#records === 1;
      }
      this.#envelope.pass(undefined);
    }
    if (!makesRecords(reading)) this.#captures.end(this.#envelope.depth, this.#offset.chunk, index);
    this.#state = this.#envelope.depth > 0 ? "text" : "end";
    const scalarRoot = this.#state === "end" && reading === "skipValue";
    if (scalarRoot && this.#options.dataField === undefined && this.#first !== 0x6e)
      throw onlyScalar(this.#first ?? 0, this.#options.remedies);
  }

  /** Returns whether the single record is a scalar that means "no records" (contract C-7.2). If so, drops its line. */
  #isNothing(): boolean {
    if (this.#first === openBrace) return false;
    const line = this.#scanner.waiting(maxNothingBytes);
    if (line === undefined || !isNothing(line.trimEnd())) return false;
    this.#lines.watch(line);
    this.#scanner.retract();
    return true;
  }

  /**
   * Ends a number at the end of the input, which is the only sign of its end. Throws IncompleteDocument if anything else has
   * not ended.
   */
  #endHere(): void {
    const single = this.#state === "record" || this.#state === "skipValue";
    if (single && this.#envelope.depth === 0 && this.#scanner.finish()) {
      this.#scanned(0);
      return;
    }
    this.flush();
    this.close();
    throw this.#offset.incomplete();
  }

  #tooDeep(index: number): DataFault {
    return this.#fault(index, tooDeep(this.#options.maxDepth));
  }

  /** Emits the whole lines before a fault, closes the reader, and returns the fault. */
  #fault(index: number, message?: string, where?: string): DataFault {
    this.flush();
    this.close();
    return this.#offset.fault(index, message, where);
  }
}

/** Returns whether a list or object in a field with this role may be evidence of more records, or of a failure. */
function holdsEvidence({ kind, words }: Role, type: "array" | "object"): boolean {
  if (kind === "links") return type === "array" || words[0] === "link";
  if (kind === "total" || kind === "count" || kind === "more") return type === "object";
  return kind === "next" || kind === "partial" || kind === "failure";
}

/** Returns whether the text of a list or object, perhaps cut, shows that it is empty. */
function isEmpty(text: string): boolean {
  return /^.\s*[\]}]/.test(text);
}
