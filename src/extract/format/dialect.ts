import type { FormatOptions } from "../../generated/configuration.ts";

/** The sequences of bytes that have a meaning in a CSV or TSV, besides line breaks. All other bytes are part of a field. */
export interface Dialect {
  readonly delimiter: Buffer;
  /** Undefined if fields are never quoted. */
  readonly quote: Buffer | undefined;
  /** The sequence after which a delimiter, a quote, a line break or another escape is part of the field. */
  readonly escape: Buffer | undefined;
  /** The sequence at the start of a line that is skipped. */
  readonly comment: Buffer | undefined;
  /** Number of bytes of the longest sequence. This many bytes are enough to recognise any of them. */
  readonly longest: number;
  /** The kind of each byte (`plain`, `escaped` or `mark`) in an unquoted field, and in a quoted field. */
  readonly unquoted: Uint8Array;
  readonly quoted: Uint8Array;
}

/** Kinds of bytes: copied (`plain`), escaped in JSON (`escaped`), or perhaps the first of a sequence with a meaning (`mark`). */
export const plain = 0;
export const escaped = 1;
const mark = 2;

export const cr = 0x0d;
export const lf = 0x0a;

export function dialectOf(format: FormatOptions & { readonly delimiter: string }): Dialect {
  const { quote: character = '"' } = format;
  const delimiter = Buffer.from(format.delimiter);
  const quote = character === false ? undefined : Buffer.from(character);
  const comment = bytesOf(format.comment);
  const sign = bytesOf(format.escape);
  // An escape is followed by a delimiter, a quote, an escape or a line break of up to two bytes.
  const longestEscaped =
    sign === undefined ? 0 : sign.length + Math.max(delimiter.length, quote?.length ?? 0, sign.length, 2);
  return {
    delimiter,
    quote,
    escape: sign,
    comment,
    // The quote counts twice, for a doubled quote. Without quotes, 2 stands for a line break of two bytes.
    longest: Math.max(delimiter.length, 2 * (quote?.length ?? 1), comment?.length ?? 0, longestEscaped),
    unquoted: kindsOf([cr, lf, delimiter[0], quote?.[0], sign?.[0]]),
    quoted: kindsOf([cr, lf, quote?.[0], sign?.[0]]),
  };
}

function bytesOf(text: string | undefined): Buffer | undefined {
  return text === undefined ? undefined : Buffer.from(text);
}

function kindsOf(marks: readonly (number | undefined)[]): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    marks.includes(byte) ? mark : escapes[byte] === undefined ? plain : escaped,
  );
}

/** Replacement of each byte in a JSON string; undefined for a byte that is copied. */
export const escapes: readonly (Buffer | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  const text = JSON.stringify(character).slice(1, -1);
  return text === character ? undefined : Buffer.from(text);
});

/** Returns whether the bytes `sought` are at an offset. */
export function isAt(bytes: Buffer, offset: number, sought: Buffer | undefined): boolean {
  if (sought === undefined || offset + sought.length > bytes.length) return false;
  for (let index = 0; index < sought.length; index += 1) if (bytes[offset + index] !== sought[index]) return false;
  return true;
}
