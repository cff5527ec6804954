import { isUtf8 } from "node:buffer";
import { escaped, escapes, plain } from "./dialect.ts";

/** Number of bytes at which waiting lines are emitted. */
const flushBytes = 196_608;

/** Size of the output buffer: enough for waiting lines and one row, most of the time. */
const bufferBytes = 2 * flushBytes;

/** Greatest number of bytes that are copied in a loop. For longer ranges, `Buffer.copy` is faster. */
const loopBytes = 64;

interface RowWriterOptions {
  /** Maximum number of bytes of a line. */
  readonly maxLineBytes: number;
  /** Creates the error for a longer line. */
  tooLong(): Error;
  /** Maximum number of bytes of the names in a header row, and the error for more. */
  readonly maxNameBytes: number;
  namesTooLong(): Error;
  lines(bytes: Buffer, records: number): void;
}

/**
 * Writes rows as lines of JSON: each field is a text under the name of its column. Until `name` sets the names, a row is taken for
 * the header.
 */
export class RowWriter {
  readonly #options: RowWriterOptions;
  /** The bytes before the text of each column: `{"a":"`, `","b":"`. Undefined until there are names. */
  #keys: readonly Buffer[] | undefined;
  #out: Buffer = Buffer.allocUnsafeSlow(bufferBytes);
  #size = 0;
  /** Indexes in `#out` where the current row and its field begin. */
  #row = 0;
  #field = 0;
  #fields = 0;
  #names: string[] = [];
  #bytesOfNames = 0;
  /** Maximum number of bytes of a row, or of a name in the header row. */
  #maxBytes: number;
  #waiting = 0;
  records = 0;
  /** True if bytes that were not UTF-8 became U+FFFD. */
  invalidUtf8 = false;

  constructor(options: RowWriterOptions) {
    this.#options = options;
    this.#maxBytes = Math.min(options.maxLineBytes, options.maxNameBytes);
  }

  get columns(): number {
    return this.#keys?.length ?? 0;
  }

  name(names: readonly string[]): void {
    this.#keys = names.map((name, index) => Buffer.from(`${index === 0 ? "{" : '",'}${JSON.stringify(name)}:"`));
    this.#maxBytes = this.#options.maxLineBytes;
  }

  beginField(): void {
    const key = this.#keys?.[this.#fields];
    if (key !== undefined) this.#put(key, 0, key.length);
    this.#field = this.#size;
  }

  /** Copies bytes of the field up to `end`, or up to the first byte whose kind is `mark`. Returns the index where it stopped. */
  copy(bytes: Buffer, from: number, end: number, kinds: Uint8Array): number {
    let index = from;
    while (index < end) {
      const start = index;
      while (index < end && kinds[bytes[index] ?? 0] === plain) index += 1;
      this.#put(bytes, start, index);
      if (index === end || kinds[bytes[index] ?? 0] !== escaped) break;
      this.byte(bytes[index] ?? 0);
      index += 1;
    }
    return index;
  }

  /** Copies one byte as part of the field, even if it could have a meaning. */
  byte(byte: number): void {
    const text = escapes[byte] ?? Buffer.of(byte);
    this.#put(text, 0, text.length);
  }

  endField(): void {
    this.#fields += 1;
    if (this.#keys !== undefined && this.#fields <= this.#keys.length) return;
    // The field is a column name, or the row has too many fields.
    if (this.#keys === undefined) {
      this.#bytesOfNames += this.#size - this.#field + 1;
      if (this.#bytesOfNames > this.#options.maxNameBytes) throw this.#options.namesTooLong();
      const text = this.#whole(this.#out.subarray(this.#field, this.#size));
      this.#names.push(JSON.parse(`"${text.toString()}"`) as string);
    }
    this.#size = this.#field;
  }

  /**
   * Ends the row. Returns the names if the row is the header. For any other row that is not blank, returns the number of fields if
   * it differs from the number of columns.
   */
  endRow(): { readonly names?: readonly string[]; readonly fields?: number } | undefined {
    const fields = this.#fields;
    this.#fields = 0;
    if (this.#keys === undefined) {
      const names = this.#names;
      this.#names = [];
      return { names };
    }
    if (fields !== this.#keys.length) {
      // A blank line is skipped. With a single column, it is a record with an empty value, and is not handled here.
      const isBlank = fields === 1 && this.#size === this.#field;
      this.#size = this.#row;
      return isBlank ? undefined : { fields };
    }
    this.#put(closing, 0, closing.length);
    this.#row = this.#size;
    this.#waiting += 1;
    this.records += 1;
    if (this.#size >= flushBytes) this.flush();
    return undefined;
  }

  /** Emits the whole lines. */
  flush(): void {
    if (this.#waiting === 0) return;
    const records = this.#waiting;
    const bytes = this.#whole(Buffer.from(this.#out.subarray(0, this.#row)));
    const unfinishedRow = this.#out.subarray(this.#row, this.#size);
    // After a long row, which enlarged the buffer, a buffer of the usual size replaces it.
    const isLarge = this.#out.length > bufferBytes && unfinishedRow.length < flushBytes;
    const next = isLarge ? Buffer.allocUnsafeSlow(bufferBytes) : this.#out;
    next.set(unfinishedRow);
    this.#out = next;
    this.#size -= this.#row;
    this.#field -= this.#row;
    this.#row = 0;
    this.#waiting = 0;
    this.#options.lines(bytes, records);
  }

  #tooLong(length: number): Error {
    const { maxNameBytes, namesTooLong, tooLong } = this.#options;
    const isName = this.#keys === undefined && this.#size + length - this.#row > maxNameBytes;
    return isName ? namesTooLong() : tooLong();
  }

  #put(bytes: Buffer, from: number, to: number): void {
    const length = to - from;
    if (this.#size + length - this.#row > this.#maxBytes) throw this.#tooLong(length);
    if (this.#size + length > this.#out.length) this.#grow(length);
    const out = this.#out;
    let size = this.#size;
    if (length > loopBytes) bytes.copy(out, size, from, to);
    else for (let index = from; index < to; index += 1, size += 1) out[size] = bytes[index] ?? 0;
    this.#size += length;
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#size + length, 2 * this.#out.length));
    grown.set(this.#out.subarray(0, this.#size));
    this.#out = grown;
  }

  #whole(bytes: Buffer): Buffer {
    if (isUtf8(bytes)) return bytes;
    this.invalidUtf8 = true;
    return Buffer.from(bytes.toString("utf8"));
  }
}

const closing = Buffer.from('"}\n');
