import { maxSampled, type RecordSample, type SampledFields } from "../core/runs/page.ts";
import { colon, lineFeed, openBrace, quote } from "./json-bytes.ts";
import { lineMember, members, spanText, stringText } from "./raw.ts";
import { recordsOf } from "./records.ts";

/** Maximum number of bytes that are kept of a page's records. */
const maxBytes = 65_536;
/** Bytes reserved for each record that is still to come, so that large records leave room for the others. */
const reservedBytes = 256;

/** Whole lines, or the beginning of one line (`cut`). */
interface Piece {
  readonly bytes: Buffer;
  readonly cut: boolean;
}

/**
 * Keeps the bytes of a page's first records. They are parsed only if two pages are compared, and then mostly just the
 * first record, so that a page costs little more than a copy of its beginning.
 */
export class RecordSampler {
  readonly #pieces: Piece[] = [];
  /** Number of records that are kept. */
  #records = 0;
  /** Number of records that came. */
  #all = 0;
  #room = maxBytes;

  /** Takes the next whole lines. The buffer is not kept. */
  take(lines: Buffer, records: number): void {
    this.#all += records;
    if (this.#records >= maxSampled) return;
    const missingRecords = Math.max(maxSampled - this.#records - records, 0);
    if (lines.length <= this.#room - missingRecords * reservedBytes) {
      this.#keep(lines, records, false);
      return;
    }
    for (let start = 0; start < lines.length && this.#records < maxSampled; ) {
      const end = lines.indexOf(lineFeed, start) + 1;
      const allowed = this.#room - (maxSampled - this.#records - 1) * reservedBytes;
      const cut = end - start > allowed;
      this.#keep(lines.subarray(start, cut ? start + allowed : end), 1, cut);
      start = end;
    }
  }

  /** Returns the sample. `time`: time of the response, in milliseconds. */
  sample(time: number): RecordSample {
    const records = recordsIn(this.#pieces);
    const sampledFields: (SampledFields | undefined)[] = [];
    return {
      time,
      records: this.#all,
      fieldsAt(index) {
        while (sampledFields.length <= index) {
          const { done, value } = records.next();
          if (done === true) return undefined;
          sampledFields.push(fieldsOf(value));
        }
        return sampledFields[index];
      },
    };
  }

  #keep(bytes: Buffer, records: number, cut: boolean): void {
    this.#pieces.push({ bytes: Buffer.from(bytes), cut });
    this.#records += records;
    this.#room -= bytes.length;
  }
}

function* recordsIn(pieces: readonly Piece[]): Generator<Piece> {
  for (const { bytes, cut } of pieces) {
    if (cut) yield { bytes, cut };
    else for (const record of recordsOf(bytes)) yield { bytes: record, cut };
  }
}

/**
 * Returns the fields of an object; undefined for any other value. If the line is a member of an object (`"key":value`), the key is
 * the field with the empty name.
 */
function fieldsOf({ bytes, cut }: Piece): SampledFields | undefined {
  const values = new Map<string, string>();
  let start = 0;
  if (bytes[0] === quote) {
    const { key, value } = lineMember(bytes, { start: 0, end: bytes.length });
    if (bytes[key.end] !== colon) return undefined;
    values.set("", spanText(bytes, key));
    start = value.start;
  }
  if (bytes[start] !== openBrace) return undefined;
  for (const { key, value } of members(bytes, start)) {
    // If the line was cut inside a member, this member is left out.
    if (value.end >= bytes.length) break;
    values.set(stringText(bytes, key), spanText(bytes, value));
  }
  return { values, whole: !cut };
}
